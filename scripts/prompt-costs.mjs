/** Measures what prompt and tools of each built-in mode cost, with the built command in an empty folder, and rewrites the table in docs/prompt.md. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const page = join(root, "docs/prompt.md")
const modes = ["code", "architect", "ask", "debug", "orchestrator"]
const empty = mkdtempSync(join(tmpdir(), "joey-empty-"))

try {
  const table = [
    "| mode | system prompt | tools | together | KB | the same tools as tagged text |",
    "|---|---:|---:|---:|---:|---:|",
    ...modes.map(row),
  ].join("\n")
  const text = readFileSync(page, "utf8")
  writeFileSync(
    page,
    text.replace(/\| mode \|[\s\S]*?\n(?=\n)/, () => `${table}\n`),
  )
} finally {
  rmSync(empty, { recursive: true })
}

function row(mode) {
  const env = { PATH: process.env.PATH, HOME: empty, JOEY_HOME: join(empty, ".joey"), LC_ALL: "C" }
  const shown = execFileSync(process.execPath, [join(root, "dist/joey.js"), "prompt", "--mode", mode], {
    cwd: empty,
    env,
    encoding: "utf8",
  })
  const tokens = (name) => Number(new RegExp(`^= ${name} +(\\d+)$`, "m").exec(shown)?.[1])
  const kilobytes = [...shown.matchAll(/^--- .*?([\d.]+) KB ---$/gm)].reduce((sum, [, size]) => sum + Number(size), 0)
  const [system, tools, tagged] = ["system prompt", "tools, as definitions", "tools, as tagged text"].map(tokens)
  return `| ${mode} | ${system} | ${tools} | ${system + tools} | ${kilobytes.toFixed(1)} | ${tagged} |`
}
