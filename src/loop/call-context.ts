/** What a tool is given for one call: a host limited to its admitted paths, the task's signal, and a lossy way to show progress. */
import type { Show } from "../types/show.ts"
import type { TouchedPath } from "../types/stations.ts"
import type { ToolContext } from "../types/tool.ts"
import { knownFiles, type LearningFiles } from "./known-files.ts"
import type { Loop } from "./loop.ts"

const INTERVAL_MS = 34

export function callContext(loop: Loop, callKey: string, paths: readonly TouchedPath[]): ToolContext & { files: LearningFiles } {
  let lastShown = Number.NEGATIVE_INFINITY
  return {
    callKey,
    files: knownFiles(loop, paths),
    signal: loop.signal,
    host: loop.stations.admit(paths.map((touched) => touched.real)),
    progress(show: Show) {
      const now = performance.now()
      if (now - lastShown < INTERVAL_MS) return
      lastShown = now
      loop.emit({ type: "progress", callKey, show })
    },
  }
}
