/**
 * The name under which a server's tool is offered: `mcp--server--tool`, at most 64 characters that every provider takes. It depends on the two
 * names alone, so it is the same after a restart; whatever cannot stand in it as it is carries a digest, so no two tools share one.
 */
import { createHash } from "node:crypto"

const LONGEST = 64
const PREFIX = "mcp"
const BETWEEN = "--"
const DIGEST = 10

/** `server` and `tool` as the server and the person wrote them: any text. */
export function advertisedName(server: string, tool: string): string {
  const plain = [PREFIX, server, tool].join(BETWEEN)
  if (isPlainServer(server) && isPlainTool(tool) && plain.length <= LONGEST) return plain
  const digest = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, DIGEST)
  const room = LONGEST - PREFIX.length - 3 * BETWEEN.length - DIGEST
  const part = cleaned(server).slice(0, Math.floor(room / 3))
  const rest = cleaned(tool).slice(0, room - part.length)
  return [PREFIX, part, rest, digest].join(BETWEEN)
}

/**
 * The names other agents have for it, for rules and hooks: `mcp__server__tool`. No tool can take the name of another server's: what it calls
 * itself never ends the server's part. Server names are the person's own.
 */
export function foreignNames(server: string, tool: string): string[] {
  const own = advertisedName(server, tool).replaceAll(BETWEEN, "__")
  const usual = `${PREFIX}__${server.replace(/[^\w-]/g, "_")}__${tool}`
  return isPlainTool(tool) && usual !== own ? [own, usual] : [own]
}

/** The rule that speaks of one tool of a server, or of all of them: `*`. */
export function ruleFor(server: string, tool: string): string {
  const [own = ""] = foreignNames(server, tool === "*" ? "x" : tool)
  return tool === "*" ? `${own.split("__").slice(0, 2).join("__")}__*` : own
}

/** Finds a tool by what a model may have made of its name. */
export interface NameTable<Value> {
  find(name: string): Value | undefined
}

/** Exact first; then with hyphens and underscores alike, with and without the prefix, where that is clear. */
export function nameTable<Value>(named: Iterable<readonly [advertised: string, value: Value]>): NameTable<Value> {
  const exact = new Map<string, Value>()
  const folded = new Map<string, Value | undefined>()
  for (const [name, value] of named) {
    if (exact.has(name)) continue
    exact.set(name, value)
    const key = fold(name)
    folded.set(key, folded.has(key) ? undefined : value)
  }
  return {
    find(name) {
      const known = exact.get(name)
      if (known !== undefined) return known
      const key = fold(name)
      return folded.get(key) ?? folded.get(`${PREFIX}__${key}`)
    },
  }
}

/** Two names that a model may take for one. */
function fold(name: string): string {
  return name.replaceAll("-", "_")
}

/** Neither separator inside, nothing at its ends that could run into one. */
function isPlainServer(name: string): boolean {
  return /^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/.test(name)
}

function isPlainTool(name: string): boolean {
  return /^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*[-_]?$/.test(name)
}

function cleaned(name: string): string {
  const kept = name.replace(/[^A-Za-z0-9]+/g, (run) => (/^-+$/.test(run) ? "-" : "_")).replace(/^[-_]+|[-_]+$/g, "")
  return kept === "" ? "x" : kept
}
