/** Tells a cancel from a failure: what rejects because the task's signal was aborted is no error. */

export function isCancelled(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === "AbortError"))
}
