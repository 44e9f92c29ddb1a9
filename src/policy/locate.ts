/** Where a path of a command leads, from the workspace. A path that leads nowhere sensible counts as outside. */
import { isAbsolute, relative, resolve, sep } from "node:path"
import type { Host } from "../types/host.ts"
import type { TouchedPath } from "../types/stations.ts"

export function locator(
  host: Pick<Host, "workspace" | "resolve" | "realPath">,
): (path: string, cwd?: string) => Promise<TouchedPath> {
  let root: Promise<string> | undefined
  return async (path, cwd) => {
    const absolute = host.resolve(cwd === undefined ? path : resolve(host.resolve(cwd), path))
    try {
      root ??= host.realPath(host.workspace)
      const [top, real] = await Promise.all([root, host.realPath(absolute)])
      const fromRoot = relative(top, real)
      const outside = fromRoot === ".." || fromRoot.startsWith(`..${sep}`) || isAbsolute(fromRoot)
      return { path, real, relative: outside ? "" : fromRoot.split(sep).join("/"), outside }
    } catch {
      return { path, real: absolute, relative: "", outside: true }
    }
  }
}
