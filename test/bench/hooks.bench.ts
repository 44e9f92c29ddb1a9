/** What a hook costs per call: a command asked over its input and output, beside starting the same shell and nothing else. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createHooks, type HookEngine } from "../../src/hooks/create-hooks.ts"
import type { Hook } from "../../src/hooks/hook.ts"
import { runCommand } from "../../src/hooks/run-command.ts"
import type { HookedCall } from "../../src/types/hooks.ts"
import type { HookSettings } from "../../src/types/settings.ts"
import type { Bench, Measured } from "./bench.ts"
import { cleanEnvironment, withFolder } from "./node-process.ts"
import { figure, median } from "./statistics.ts"

const ROUNDS = 60
const WARM_UP = 5
/** In-process calls are too quick to be timed one by one. */
const QUICK = 200

export const hooks: Bench = {
  name: "hooks",
  title: "Hooks",
  about: `A call passes a hook before it runs: one command of the shell that answers at once (\`true\`), five of them side by side, a hook inside
the process, a command that is for other tools. Beside it the limit: start \`/bin/sh -c true\` with the same pipes and wait for its end.
Wall-clock time, medians of ${ROUNDS} rounds taken in turns.`,
  run: () => withFolder(run),
}

const CALL: HookedCall = {
  key: "1.1",
  tool: "edit",
  knownAs: [{ agent: "claude-code", name: "Edit", arguments: { path: "file_path" } }],
  input: { path: "src/count.ts", diff: "x".repeat(2000) },
  mode: "code",
  effect: "write",
  paths: ["src/count.ts"],
}

async function run(folder: string): Promise<Measured> {
  const signal = new AbortController().signal
  const env = cleanEnvironment()
  const command = (matcher: string, count: number): HookSettings => ({
    PreToolUse: [{ matcher, hooks: Array.from({ length: count }, (_, index) => ({ command: `true ${index}` })) }],
  })
  const inside: Hook = { name: "inside", beforeTool: () => ({ notes: ["seen"] }) }
  const ask = (engine: HookEngine) => () => engine.beforeTool(CALL, signal)
  const quick = (engine: HookEngine) => async () => {
    for (let count = 0; count < QUICK; count++) await engine.beforeTool(CALL, signal)
  }
  const ways = {
    limit: () => bare(folder, env),
    "one command": ask(engineOf(folder, command("Edit|Write", 1))),
    "five commands": ask(engineOf(folder, command("*", 5))),
    "a command for other tools": quick(engineOf(folder, command("Bash", 1))),
    "a hook inside the process": quick(engineOf(folder, {}, [inside])),
  }
  const times = await measure(ways)
  const ms = (name: keyof typeof ways) => times.get(name) ?? Number.NaN
  const each = (name: keyof typeof ways) => (name.startsWith("a ") ? ms(name) / QUICK : ms(name))
  const names = ["limit", "one command", "five commands", "a command for other tools", "a hook inside the process"] as const
  return {
    tables: [
      {
        columns: ["way", "ms a call", "× limit"],
        rows: names.map((name) => [name, figure(each(name)), figure(each(name) / ms("limit"))]),
      },
    ],
    verdicts: [
      { what: "a hook that is one command", measured: ms("one command") / ms("limit"), bound: 1.5, unit: "× starting a shell" },
      {
        what: "five such hooks side by side",
        measured: ms("five commands") / ms("one command"),
        bound: 6,
        unit: "× one of them",
      },
      { what: "a call that no command is for", measured: each("a command for other tools"), bound: 0.1, unit: " ms" },
      { what: "a hook inside the process", measured: each("a hook inside the process"), bound: 0.1, unit: " ms" },
    ],
    charts: [],
  }
}

function engineOf(workspace: string, external: HookSettings, inProcess: Hook[] = []): HookEngine {
  const facts = { session: "1", transcript: "", workspace, mode: "code", approval: "default", model: "bench/model" } as const
  const env = cleanEnvironment()
  return createHooks({ inProcess, external, ports: { run: runCommand, environment: () => env, notice() {}, facts: () => facts } })
}

async function bare(cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn("/bin/sh", ["-c", "true"], { cwd, env, detached: true })
  child.stdout.resume()
  child.stderr.resume()
  child.stdin.on("error", () => {}) // it may be over before it is told
  child.stdin.end("{}\n")
  await once(child, "close")
}

/** In turns, so that what slows the machine down for a while slows down all. */
async function measure(ways: Record<string, () => Promise<unknown>>): Promise<Map<string, number>> {
  const samples = new Map(Object.keys(ways).map((name): [string, number[]] => [name, []]))
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const started = performance.now()
      await way()
      if (round >= 0) samples.get(name)?.push(performance.now() - started)
    }
  }
  return new Map([...samples].map(([name, times]) => [name, median(times)]))
}
