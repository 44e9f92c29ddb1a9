/**
 * What a benchmark is: it measures in one run, judges ratios first and times only as help, and says what it did so that
 * `run.ts` can make a section of `docs/performance.md` of it.
 */

export interface Bench {
  name: string
  title: string
  /** What was measured and how, for somebody who reads only this section. */
  about: string
  run(): Promise<Measured>
}

export interface Measured {
  tables: Table[]
  verdicts: Verdict[]
  charts: Chart[]
  notes?: string[]
}

export interface Table {
  title?: string
  columns: string[]
  rows: (string | number)[][]
}

/** Something that must not exceed its bound. */
export interface Verdict {
  what: string
  measured: number
  bound: number
  /** Written behind both figures, for example "×" or " ms". */
  unit: string
  /** Known reasons for exceeding it: read only when it does. */
  why?: string
}

export type Chart = LineChart | BarChart

/** Logarithmic on both axes. */
export interface LineChart {
  kind: "lines"
  /** The name of its file. */
  name: string
  title: string
  x: string
  y: string
  series: { name: string; role: Role; points: [number, number][] }[]
}

/** What a line stands for: the least anybody can need, Joey, or somebody else. */
export type Role = "limit" | "joey" | "other"

/** Horizontal bars on a logarithmic axis, in the order given. */
export interface BarChart {
  kind: "bars"
  name: string
  title: string
  x: string
  bars: { name: string; value: number; ours: boolean }[]
}

/** What could not be measured holds nothing, also after it was kept as JSON, which has no NaN. */
export function holds({ measured, bound }: Verdict): boolean {
  return Number.isFinite(measured) && measured <= bound
}
