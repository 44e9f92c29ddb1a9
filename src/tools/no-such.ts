/** What a port answers when there is nothing of the wanted name, and how the model is told. */
import { nearNames } from "../text/near-names.ts"

export interface NoSuch {
  available: readonly string[]
}

export function isMissing(answer: object): answer is NoSuch {
  return "available" in answer
}

/** Names what is near, then what there is. */
export function noSuch(kind: string, name: string, { available }: NoSuch): string {
  if (available.length === 0) return `There is no ${kind} "${name}", nor any other.`
  const [near] = nearNames(name, available)
  return `There is no ${kind} "${name}".${near ? ` Did you mean ${near}?` : ""} There are: ${available.join(", ")}.`
}
