/** The same bytes in other pieces. */
import type { Random } from "../random.ts"
import { anyTranscript } from "./corpus.ts"
import type { Property } from "./property.ts"
import { plainTarget, readPieces } from "./reading.ts"

export const splits: Property = {
  name: "splits",
  holds: "a transcript cut into two or three pieces at any byte is read as in one piece",
  share: 0.198,
  check,
}

function check(chance: Random): void {
  const { bytes, json } = anyTranscript(chance)
  const cuts = [chance.int(0, bytes.length), chance.int(0, bytes.length)].sort((a, b) => a - b)
  const pieces = [bytes.subarray(0, cuts[0]), bytes.subarray(cuts[0], cuts[1]), bytes.subarray(cuts[1])]
  const split = JSON.stringify(readPieces(plainTarget, pieces))
  if (split === json) return
  throw new Error(`cut at ${cuts.join(" and ")} it is read as ${split} instead of ${json}\n${Buffer.from(bytes).toString()}`)
}
