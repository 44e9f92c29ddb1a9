/** Searches a tree and reads the end of a huge file with the tools themselves, beside ripgrep and sed. Prints JSON. */
import { stat } from "node:fs/promises"
import { localHost } from "../../src/host/local.ts"
import { readFile } from "../../src/tools/read-file.ts"
import { searchFiles } from "../../src/tools/search-files.ts"
import type { Host, ProcessSpec, RunOptions } from "../../src/types/host.ts"
import type { JsonObject } from "../../src/types/json.ts"
import type { Tool } from "../../src/types/tool.ts"

export interface ReadingMeasured {
  /** Milliseconds of each round: the tool, and what it is held against. */
  searches: Record<string, { tool: number[]; bare: number[] }>
  page: { tool: number[]; bare: number[]; bytes: number; grownMb: number }
}

async function call(tool: Tool, args: JsonObject, host: Host): Promise<string> {
  const checked = tool.input.check(args)
  if (!checked.ok) throw new Error(checked.problems.join("\n"))
  const context = { host, signal: new AbortController().signal, progress() {}, callKey: "1" }
  return String((await tool.run(checked.value, context)).say)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** The same ripgrep again, by the same host, with nobody listening. */
async function searchBeside(host: Host, regex: string, rounds: number) {
  let ran: { spec: ProcessSpec; options: RunOptions } | undefined
  const listening: Host = {
    ...host,
    run(spec, options = {}) {
      ran = { spec, options }
      return host.run(spec, options)
    },
  }
  const tool: number[] = []
  const bare: number[] = []
  const search = () => timed(() => call(searchFiles, { path: ".", regex }, listening))
  const same = () =>
    timed(async () => {
      const { cwd } = ran?.options ?? {}
      if (ran) await host.run(ran.spec, { ...(cwd !== undefined && { cwd }), onOutput() {} })
    })
  await search() // to know what it runs, and to warm up
  for (let round = 0; round < rounds; round++) {
    const toolFirst = round % 2 === 0
    if (toolFirst) tool.push(await search())
    bare.push(await same())
    if (!toolFirst) tool.push(await search())
  }
  return { tool, bare }
}

async function run(tree: string, file: string, rounds: number): Promise<ReadingMeasured> {
  const host = localHost(tree)
  const searches: ReadingMeasured["searches"] = {}
  for (const regex of ["no such words", "needle \\d+", "common"]) searches[regex] = await searchBeside(host, regex, rounds)
  const tool: number[] = []
  const bare: number[] = []
  const reading = readFile()
  const lines = Number(/of (\d+)\./.exec(await call(reading, { path: file, limit: 1 }, host))?.[1])
  const before = process.memoryUsage.rss()
  let grown = 0
  for (let round = 0; round < rounds; round++) {
    bare.push(await timed(() => host.run({ program: "sed", args: ["-n", `${lines - 100},$p`, file] })))
    tool.push(await timed(() => call(reading, { path: file, offset: lines - 100 }, host)))
    grown = Math.max(grown, process.memoryUsage.rss() - before)
  }
  return { searches, page: { tool, bare, bytes: (await stat(file)).size, grownMb: grown / 1e6 } }
}

const [tree = "", file = "", rounds = "5"] = process.argv.slice(2)
process.stdout.write(JSON.stringify(await run(tree, file, Number(rounds))))
