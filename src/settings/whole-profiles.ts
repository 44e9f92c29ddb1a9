/**
 * A profile of a later layer replaces one of the same name whole: of two halves from different hands nobody would know where a key
 * goes.
 */
import type { Entry } from "./layer.ts"

/** Layers from the weakest to the strongest → the same without profiles that a stronger one replaces. */
export function keepProfilesWhole(layers: readonly (readonly Entry[])[]): Entry[][] {
  const owners = new Map<string, number>()
  for (const [at, layer] of layers.entries()) {
    for (const { path } of layer) if (path[0] === "profiles") owners.set(path[1] ?? "", at)
  }
  return layers.map((layer, at) => layer.filter(({ path }) => path[0] !== "profiles" || owners.get(path[1] ?? "") === at))
}
