/** Tells before a request whether any file that the prompt was made of has changed: by time and size, a few microseconds each. */
import { lookAt } from "./disk.ts"

/** The paths that look different now, appeared or disappeared; empty when all is as it was. */
export function changedSince(seen: ReadonlyMap<string, string>): string[] {
  return [...seen].filter(([path, mark]) => lookAt(path).mark !== mark).map(([path]) => path)
}
