/** Calls as policy sees them, for its tests. */
import type { Judged, TouchedPath } from "../types/stations.ts"
import type { Effect } from "../types/tool.ts"
import { compileRules, type RuleSet } from "./rules.ts"

export const PLACES = { workspace: "/project", home: "/home/me" }

export const inside = (path: string): TouchedPath => ({ path, real: `/project/${path}`, relative: path, outside: false })
export const outside = (path: string): TouchedPath => ({ path, real: path, relative: "", outside: true })

export function callOf(effect: Effect, paths: TouchedPath[] = [], rest: Partial<Judged> = {}): Judged {
  const group = effect === "read" ? "read" : effect === "execute" ? "command" : effect === "network" ? "browser" : "edit"
  return {
    ...{ tool: "it", names: ["it"], group, effect, mode: "code", paths },
    ...{ commands: [], addresses: [], digest: "d1", ...rest },
  }
}

type Lists = Partial<Record<"allow" | "ask" | "deny" | "allowedCommands" | "deniedCommands", string[]>>

/** Rules of `.joey/settings.json`, the first of each list in line 1. */
export function rulesOf({ allow = [], ask = [], deny = [], allowedCommands = [], deniedCommands = [] }: Lists): RuleSet {
  const origins = new Proxy<Record<string, { from: string; file: string; line: number }>>(
    {},
    {
      get: (_, name) => {
        const [, index] = /\.(\d+)$/.exec(String(name)) ?? []
        return { from: "file", file: "/project/.joey/settings.json", line: Number(index ?? 0) + 1 }
      },
    },
  )
  return compileRules({ settings: { permissions: { allow, ask, deny }, allowedCommands, deniedCommands }, origins }, PLACES)
}
