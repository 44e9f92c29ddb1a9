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
  const child: ChildProcess = fork(program, [name], { env: cleanEnvironment() })
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

/** Medians over the rounds. */
export interface Result {
  /** CPU time of a pass. */
  cpuMs: number
  /** Beside the first lane in the same round: what slows the machine down for a while slows down both. */
  ratio: number
}

/** The first lane is the one the others are held against. */
export async function race(
  lanes: readonly Lane[],
  cell: unknown,
  { rounds, warmUp = 0, atLeastMs = 0 }: RoundOptions,
): Promise<Map<string, Result>> {
  const samples = lanes.map((): Result[] => [])
  for (let round = -warmUp; round < rounds; round++) {
    let first = Number.NaN
    for (const [index, lane] of lanes.entries()) {
      const { cpuMs } = await lane.measure({ cell, atLeastMs })
      if (index === 0) first = cpuMs
      if (round >= 0) samples[index]?.push({ cpuMs, ratio: cpuMs / first })
    }
  }
  return new Map(lanes.map(({ name }, index) => [name, middle(samples[index] ?? [])]))
}

function middle(results: readonly Result[]): Result {
  return { cpuMs: median(results.map(({ cpuMs }) => cpuMs)), ratio: median(results.map(({ ratio }) => ratio)) }
}
