/**
 * The measured side of a lane: a process that does one piece of work as often as it is told to, and answers what a pass
 * cost. Several ways to do the same work never share a process, so that none is slowed by what another taught the compiler.
 */

/** Makes everything ready for a cell; what it returns is the work that is measured. */
export type Job<Cell> = (cell: Cell) => () => unknown

export interface Order<Cell = unknown> {
  cell: Cell
  /** Passes are repeated until this much time has gone, so that small cells can be measured at all. */
  atLeastMs: number
}

export interface Sample {
  /** Of one pass: the whole process, its collector and compiler threads included. */
  cpuMs: number
  /** What the work returned, where it is a number: for example which part of it was done within a budget. */
  said?: number
}

/** `process.argv[2]` names the job. */
export function serveLane<Cell>(jobs: Record<string, Job<Cell>>): void {
  const job = jobs[process.argv[2] ?? ""]
  if (!job) throw new Error(`there is no job ${process.argv[2]}`)
  process.once("disconnect", () => process.exit())
  let prepared: { key: string; work: () => unknown } | undefined
  process.on("message", async ({ cell, atLeastMs }: Order<Cell>) => {
    const key = JSON.stringify(cell)
    if (prepared?.key !== key) {
      prepared = undefined
      prepared = { key, work: job(cell) }
    }
    process.send?.(await sample(prepared.work, atLeastMs))
  })
}

/** No collection is forced before: it would take away what the compiler has learnt about objects that are gone. */
async function sample(work: () => unknown, atLeastMs: number): Promise<Sample> {
  const before = process.cpuUsage()
  const until = performance.now() + atLeastMs
  let passes = 0
  let said: unknown
  do {
    said = work()
    if (said instanceof Promise) said = await said
    passes++
  } while (performance.now() < until)
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1000 / passes, ...(typeof said === "number" && { said }) }
}
