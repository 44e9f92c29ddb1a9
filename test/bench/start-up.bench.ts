/** Start-up as a person feels it, beside `node -e 0` in the same run: --version, start → first request, and what that carries. */
import { spawnSync } from "node:child_process"
import type { Bench, Measured } from "./bench.ts"
import { firstRequest } from "./first-request.ts"
import { COMMAND } from "./measured-process.ts"
import { cleanEnvironment, withFolder } from "./node-process.ts"
import { OTHERS } from "./other-agents.ts"
import { figure, median } from "./statistics.ts"

const ROUNDS = 25

export const startUp: Bench = {
  name: "start-up",
  title: "Start-up and first request",
  about: `Time from starting a process to its end (\`node -e 0\`, \`joey --version\`), and from starting the command to the last byte of its
first request at a server of our own, ${ROUNDS} rounds in turns. The first request is what code mode sends with the tools it offers by
default, for a task of one word.`,
  run: () => withFolder(run),
}

async function run(folder: string): Promise<Measured> {
  const nothing: number[] = []
  const version: number[] = []
  const request: number[] = []
  let body = ""
  for (let round = 0; round < ROUNDS; round++) {
    nothing.push(timed(["-e", "0"]))
    version.push(timed([COMMAND, "--version"]))
    const first = await firstRequest(folder)
    request.push(first.tookMs)
    body = first.body
  }
  return report({ nothing: median(nothing), version: median(version), request: median(request), body })
}

function timed(args: string[]): number {
  const started = performance.now()
  spawnSync(process.execPath, args, { env: cleanEnvironment(), stdio: "ignore" })
  return performance.now() - started
}

function report({
  nothing,
  version,
  request,
  body,
}: {
  nothing: number
  version: number
  request: number
  body: string
}): Measured {
  const { messages, tools } = JSON.parse(body)
  const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value)) / 1024
  const [system, offered] = [bytes(messages[0]), bytes(tools)]
  return {
    tables: [
      {
        columns: ["", "ms", "× `node -e 0`"],
        rows: [
          ["`node -e 0`", figure(nothing), "1.00"],
          ["`joey --version`", figure(version), figure(version / nothing)],
          ["start → first request", figure(request), figure(request / nothing)],
        ],
      },
      {
        columns: ["first request", "KB"],
        rows: [
          ["system prompt", figure(system)],
          [`${tools.length} tools`, figure(offered)],
          ["whole body", figure(Buffer.byteLength(body) / 1024)],
        ],
      },
    ],
    verdicts: [
      { what: "`joey --version`", measured: version / nothing, bound: 1.5, unit: "× `node -e 0`" },
      { what: "start → first request", measured: request / nothing, bound: 5, unit: "× `node -e 0`" },
      { what: "start → first request", measured: request, bound: 200, unit: " ms" },
      { what: "first request, system prompt and tools", measured: system + offered, bound: 20, unit: " KB" },
    ],
    charts: [
      {
        kind: "bars",
        name: "start-up",
        title: "Start → first request on the wire",
        x: "ms",
        bars: [{ name: "Joey", value: request, ours: true }, ...OTHERS.firstRequest],
      },
      {
        kind: "bars",
        name: "first-request",
        title: "First request: system prompt and tools",
        x: "KB",
        bars: [{ name: `Joey (${tools.length} tools)`, value: system + offered, ours: true }, ...OTHERS.requestSize],
      },
    ],
  }
}
