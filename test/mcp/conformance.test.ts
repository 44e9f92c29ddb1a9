/**
 * The public conformance suite judges our client: every scenario that a revision of the protocol requires, each against a server of the suite. The
 * exceptions stand in docs/mcp-conformance.md, with reasons, and must be exactly those that fail.
 */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join, resolve } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { expect, it } from "vitest"
import { visit } from "./conformance-client.ts"
import { listening } from "./oauth-server.ts"

const SUITE = resolve("node_modules/@modelcontextprotocol/conformance/dist/index.js")
const AT_ONCE = 2

/** Runs what it is sent, few at a time: the suite starts all its scenarios together. */
async function door(): Promise<string> {
  let running = 0
  const waiting: (() => void)[] = []
  return listening(
    createServer(async (request, response) => {
      let text = ""
      for await (const part of request) text += part
      if (running >= AT_ONCE) await new Promise<void>((go) => waiting.push(go))
      running++
      try {
        await visit(JSON.parse(text))
        response.end()
      } catch (error) {
        response.writeHead(500).end(String(error))
      } finally {
        running--
        waiting.shift()?.()
      }
    }),
  )
}

interface Judged {
  passed: string[]
  failed: string[]
  words: string
}

async function judge(revision: string): Promise<Judged> {
  const command = `node ${join(import.meta.dirname, "conformance-door.mjs")}`
  const args = ["--import", join(import.meta.dirname, "conformance-fs.mjs"), SUITE, "client", "--command", command]
  const child = spawn(process.execPath, [...args, "--requirements", revision, "--timeout", "100000"], {
    env: { ...process.env, JOEY_CONFORMANCE_DOOR: await door() },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let words = ""
  child.stdout.on("data", (part) => (words += part))
  child.stderr.on("data", (part) => (words += part))
  await new Promise((ended) => child.once("close", ended))
  const summary = stripVTControlCharacters(words).split("=== SUITE SUMMARY ===")[1] ?? ""
  const [scored = "", unscored = ""] = summary.split("Not scored for")
  const marked = (mark: string) => [...scored.matchAll(new RegExp(`^${mark} ([^\\s:]+):`, "gm"))].map(([, name = ""]) => name)
  const isScored = (name: string) => !unscored.includes(` ${name} (`)
  return { passed: marked("✓").filter(isScored), failed: marked("✗").filter(isScored), words }
}

/** The rows of the page's table for a revision. */
function exceptions(revision: string): string[] {
  const page = readFileSync(resolve("docs/mcp-conformance.md"), "utf8")
  return [...page.matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)].flatMap(([, name = "", revisions = ""]) =>
    revisions.includes(revision) ? [name] : [],
  )
}

it.each(["2025-11-25", "2026-07-28"])(
  "the client scenarios that %s requires pass, but for the exceptions that are listed",
  async (revision) => {
    const { passed, failed, words } = await judge(revision)
    expect(failed.sort(), words.slice(-6_000)).toEqual(exceptions(revision).sort())
    expect(passed.length).toBeGreaterThan(15)
  },
  200_000,
)
