/** When a turn began, and what the process had consumed by then. */
export interface TurnMark {
  wallMs: number
  cpuMs: number
}

export function mark(): TurnMark {
  const { user, system } = process.cpuUsage()
  return { wallMs: performance.now(), cpuMs: (user + system) / 1000 }
}

/** What each turn took: one less than there are marks. */
export function between(marks: readonly TurnMark[]): TurnMark[] {
  return marks.slice(1).map(({ wallMs, cpuMs }, index) => {
    const before = marks[index]
    return { wallMs: wallMs - (before?.wallMs ?? wallMs), cpuMs: cpuMs - (before?.cpuMs ?? cpuMs) }
  })
}
