/** How many hunks a person was shown: answers number them. */
import type { Show } from "../types/show.ts"

export function hunksShown(show: Show): number {
  const diffs = show.kind === "diff" ? [show] : show.kind === "changes" ? show.files : []
  return diffs.reduce((sum, { unified }) => sum + (unified.match(/^@@ /gm)?.length ?? 0), 0)
}
