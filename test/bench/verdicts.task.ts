/** What judging commands costs a fresh process, told as one line of JSON: the first verdicts, then many. */
import { mkdtempSync, rmSync } from "node:fs"
import { realpath } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative, resolve } from "node:path"
import { type CommandPorts, judgeCommand } from "../../src/policy/command-judge.ts"
import { HARMLESS } from "../../src/policy/shell/corpus/harmless.ts"
import { RULES } from "../../src/policy/shell/corpus/rules.ts"

export interface Verdicts {
  plainMs: number
  grammarMs: number
  grammarMb: number
  /** CPU per line, over all everyday lines: seen before, and never seen. */
  againUs: number
  newUs: number
}

const ROUNDS = 8
const workspace = mkdtempSync(join(tmpdir(), "joey-bench-"))
process.on("exit", () => rmSync(workspace, { recursive: true, force: true }))

const ports: CommandPorts = {
  workspace,
  home: "/home/person",
  async locate(path, cwd) {
    const full = resolve(workspace, cwd ?? "", path)
    const real = await realpath(full).catch(() => full)
    const from = relative(workspace, real)
    return { path, real, relative: from.startsWith("..") ? "" : from, outside: from.startsWith("..") }
  },
  isProtected: (path) => path.startsWith(".git"),
  isIgnored: () => false,
  isCredential: (path) => path.endsWith(".env"),
  judgeWrite: async () => ({ verdict: "allow", reason: "fine" }),
}

const lines = Object.values(HARMLESS).flat()
const memory = process.memoryUsage().rss
const plainMs = await timed(() => judgeCommand({ line: "git status" }, RULES, ports))
const grammarMs = await timed(() => judgeCommand({ line: "git log | head && npm test 2>&1" }, RULES, ports))
const grammarMb = (process.memoryUsage().rss - memory) / 2 ** 20
for (const line of lines) await judgeCommand({ line }, RULES, ports)

const [again, fresh]: [number[], number[]] = [[], []]
for (let round = 0; round < ROUNDS; round++) {
  again.push(await cpuOf((line) => line))
  fresh.push(await cpuOf((line) => `true ${round}; ${line}`))
}
const told: Verdicts = { plainMs, grammarMs, grammarMb, againUs: Math.min(...again), newUs: Math.min(...fresh) }
process.stdout.write(`${JSON.stringify(told)}\n`)

/** Microseconds of CPU for each line; waiting for a busy disk is not ours. */
async function cpuOf(change: (line: string) => string): Promise<number> {
  const before = process.cpuUsage()
  for (const line of lines) await judgeCommand({ line: change(line) }, RULES, ports)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / lines.length
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
