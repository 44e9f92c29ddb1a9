/**
 * Remembers what a project brings along and a person has agreed to: by content, in Joey's home folder, never in the project.
 * Whatever changes is missing again. A store that cannot be read, or that others can write to, trusts nothing.
 */
import { createHash, randomUUID } from "node:crypto"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { count } from "../text/count.ts"
import { onOneLine, visible } from "../text/printable.ts"
import type { Finding } from "../types/finding.ts"
import type { Json } from "../types/json.ts"
import { codeOf, readSmallFile } from "./small-file.ts"

export type TrustKind = "settings" | "mcp server" | "hook" | "tool"

export interface TrustItem {
  kind: TrustKind
  name: string
  /** The file it stands in, absolute. */
  source: string
  /** The lines a person is shown before they agree. */
  what: string[]
  /** Of everything that decides what it does, its place included. */
  digest: string
}

export interface TrustStore {
  /** Those that nobody has agreed to as they are now. */
  missing(items: readonly TrustItem[]): TrustItem[]
  /** They count as trusted from now on, also when that cannot be written down: then the finding says so. */
  remember(items: readonly TrustItem[]): Promise<Finding[]>
  /** What is wrong with the store's own file. */
  findings: Finding[]
}

const FILE = "trust.json"
const MAX_BYTES = 4 * 1024 * 1024
const OTHERS_MAY_WRITE = 0o022

/**
 * `content` is all that decides what the item does: for a command also the values of its environment, for a tool the text of
 * its file. The source counts too, because `./run.sh` is another program in another project.
 */
export function trustItem({ content, ...item }: Omit<TrustItem, "digest"> & { content: Json }): TrustItem {
  const identity = canonical([item.kind, item.name, item.source, content])
  return { ...item, digest: createHash("sha256").update(identity).digest("hex") }
}

/** The lines for something that starts a program or reaches a server. Of the environment only the names are shown. */
export function describeStart(start: { command?: string; args?: readonly string[]; url?: string; env?: object }): string[] {
  const { command, args = [], url, env = {} } = start
  return [
    ...(command === undefined ? [] : [`command: ${JSON.stringify(command)}`]),
    ...(args.length === 0 ? [] : [`arguments: ${args.map((argument) => JSON.stringify(argument)).join(" ")}`]),
    ...(url === undefined ? [] : [`address: ${JSON.stringify(url)}`]),
    ...(Object.keys(env).length === 0 ? [] : [`environment: ${Object.keys(env).join(", ")}`]),
  ]
}

/** What the person is asked. Nothing is cut, and nothing in it can pose as a line of ours or steer the terminal. */
export function trustQuestion(items: readonly TrustItem[]): string {
  const shown = items.flatMap(({ kind, name, source, what }) => [
    `${kind} ${plain(JSON.stringify(name))} in ${plain(source)}`,
    ...what.map((line) => `  ${plain(line)}`),
  ])
  const them = items.length === 1 ? "it" : "them"
  return [
    `This project brings along ${count(items.length, "thing")} that can run programs, send data elsewhere or loosen what you set:`,
    ...shown,
    `Trust ${them}? Your answer is remembered until something of this changes.`,
  ].join("\n")
}

/** `trustAll` is `--trust-project`: for this run nothing is missing, and nothing is written down. */
export async function trustStore(home: string, { trustAll = false } = {}): Promise<TrustStore> {
  const { trusted, findings } = await readStore(home)
  let writing: Promise<unknown> = Promise.resolve()
  return {
    findings,
    missing: (items) => (trustAll ? [] : items.filter(({ digest }) => !trusted.has(digest))),
    remember(items) {
      for (const item of items) trusted.set(item.digest, recordOf(item))
      const written = writing.then(() => addToFile(home, items))
      writing = written
      return written
    },
  }
}

/** For people who look into the file; only the digest counts. */
interface TrustRecord {
  kind: string
  name: string
  source: string
}

type Trusted = Map<string, TrustRecord>

function recordOf({ kind, name, source }: TrustItem): TrustRecord {
  return { kind, name, source }
}

async function readStore(home: string): Promise<{ trusted: Trusted; findings: Finding[] }> {
  const file = join(home, FILE)
  const nothing = (problem: string) => {
    const reason = `${problem}, so nothing is trusted; agree again and it is written anew.`
    return { trusted: new Map(), findings: [{ file, reason }] }
  }
  const read = await readSmallFile(file, MAX_BYTES)
  if (read.found === "nothing") return { trusted: new Map(), findings: [] }
  if (read.found === "unusable") return nothing(`It ${read.problem}`)
  if (process.platform !== "win32" && (read.stats.mode & OTHERS_MAY_WRITE) !== 0) return nothing("Others may write to it")
  const trusted = parseStore(read.text)
  return trusted ? { trusted, findings: [] } : nothing("It is damaged")
}

function parseStore(text: string): Trusted | undefined {
  try {
    const stored: unknown = JSON.parse(text)
    if (typeof stored !== "object" || stored === null || !("trusted" in stored)) return undefined
    const { trusted } = stored
    return typeof trusted === "object" && trusted !== null ? new Map(Object.entries(trusted)) : undefined
  } catch {
    return undefined
  }
}

/** Read again first: another Joey may have written meanwhile. Swapped in whole, so that nobody ever reads half of it. */
async function addToFile(home: string, items: readonly TrustItem[]): Promise<Finding[]> {
  const file = join(home, FILE)
  const draft = `${file}.${randomUUID()}`
  try {
    await mkdir(home, { recursive: true, mode: 0o700 })
    const { trusted } = await readStore(home)
    for (const item of items) trusted.set(item.digest, recordOf(item))
    const handle = await open(draft, "wx", 0o600)
    try {
      await handle.writeFile(`${JSON.stringify({ trusted: Object.fromEntries(trusted) }, null, 2)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
    return []
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    return [{ file, reason: `Your trust holds for this run only: it cannot be written down (${codeOf(error)}).` }]
  }
}

/** The same text for the same value, whatever the order of its members. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_name, inner: Json) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
  })
}

function plain(line: string): string {
  return onOneLine(visible(line))
}
