/** Several ways to do the same work, each in a process of its own, measured in turns: the ratios of one run are what counts. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import type { Order, Sample } from "./lane-process.ts"
import { cleanEnvironment } from "./node-process.ts"
import { median } from "./statistics.ts"

export interface Lane {
  readonly name: string
  measure(order: Order): Promise<Sample>
  close(): void
}

export function openLane(program: string, name: string): Lane {
  const child: ChildProcess = fork(program, [name], { env: cleanEnvironment(), execArgv: ["--expose-gc"] })
  let failed = ""
  child.once("exit", (code, signal) => {
    failed = `the lane ${name} ended (${signal ?? code})`
  })
  return {
    name,
    async measure(order) {
      const ended = new AbortController()
      const answer = once(child, "message", { signal: ended.signal })
      const leave = () => ended.abort()
      child.once("exit", leave)
      child.send(order)
      try {
        const [sample] = await answer
        return sample
      } catch (error) {
        throw failed ? new Error(failed) : error
      } finally {
        child.off("exit", leave)
      }
    },
    close: () => child.disconnect(),
  }
}

export interface RoundOptions {
  rounds: number
  /** Rounds before, to warm up. */
  warmUp?: number
  atLeastMs?: number
}

/** The median CPU time of a pass in each lane, by name. */
export async function race(
  lanes: readonly Lane[],
  cell: unknown,
  { rounds, warmUp = 0, atLeastMs = 0 }: RoundOptions,
): Promise<Map<string, number>> {
  const samples = new Map<string, number[]>(lanes.map(({ name }) => [name, []]))
  for (let round = -warmUp; round < rounds; round++) {
    for (const lane of lanes) {
      const { cpuMs } = await lane.measure({ cell, atLeastMs })
      if (round >= 0) samples.get(lane.name)?.push(cpuMs)
    }
  }
  return new Map([...samples].map(([name, values]) => [name, median(values)]))
}
