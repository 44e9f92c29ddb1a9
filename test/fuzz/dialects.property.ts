/** A reply on the wire, in any dialect, with any noise, cut anywhere. */
import type { Random } from "../random.ts"
import { chooseDialect, framesOf } from "./dialect.ts"
import { withLineEnds, withNoise } from "./harmless.ts"
import { callsOf, differenceFrom, meantReply } from "./meant-reply.ts"
import type { Property } from "./property.ts"
import { chunkProblem, plainTarget, readChunks, readPieces, splitBytes } from "./reading.ts"

export const dialects: Property = {
  name: "dialects",
  holds: "a reply in any dialect of the wire, split anywhere, is read as it was meant",
  share: 0.25,
  check,
}

function check(chance: Random): void {
  const meant = meantReply(chance)
  const dialect = chooseDialect(chance, callsOf(meant))
  const wire = withLineEnds(chance, withNoise(chance, framesOf(meant, dialect, chance)))
  const endsSilently = chance.chance(0.2)
  const chunks = readPieces(plainTarget, splitBytes(chance, Buffer.from(wire)))
  const reply = readChunks(chunks, { endsSilently })
  const problem = chunkProblem(chunks) ?? differenceFrom(meant, reply, endsSilently)
  if (problem) throw new Error(`${problem}\n${JSON.stringify({ meant, dialect, wire }, null, 1)}`)
}
