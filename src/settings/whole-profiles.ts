/**
 * A profile of a later layer replaces one of the same name whole, and so does the image model: of two halves from different hands
 * nobody would know where a key goes.
 */
import type { Entry } from "./layer.ts"

/** Layers from the weakest to the strongest → the same without profiles that a stronger one replaces. */
export function keepProfilesWhole(layers: readonly (readonly Entry[])[]): Entry[][] {
  const owners = new Map<string, number>()
  for (const [at, layer] of layers.entries()) {
    for (const entry of layer) if (isOfWhole(entry)) owners.set(wholeOf(entry), at)
  }
  return layers.map((layer, at) => layer.filter((entry) => !isOfWhole(entry) || owners.get(wholeOf(entry)) === at))
}

function isOfWhole({ path: [first] }: Entry): boolean {
  return first === "profiles" || first === "imageModel"
}

function wholeOf({ path: [first, second = ""] }: Entry): string {
  return first === "imageModel" ? first : `profiles.${second}`
}
