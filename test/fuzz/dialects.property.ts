/** A reply on the wire, in any dialect, with any noise, cut anywhere. */
import type { Random } from "../random.ts"
import { chooseDialect, framesOf } from "./dialect.ts"
import { withLineEnds, withNoise } from "./harmless.ts"
import { callsOf, differenceFrom, type MeantReply, meantReply } from "./meant-reply.ts"
import type { Property } from "./property.ts"
import { chunkProblem, plainTarget, readChunks, readPieces, splitBytes } from "./reading.ts"

export const dialects: Property = {
  name: "dialects",
  holds: "a reply in any dialect of the wire, split anywhere, is read as it was meant",
  share: 0.35,
  check,
}

function check(chance: Random): void {
  const meant = meantReply(chance)
  const tagged = chance.chance(0.5) ? withThinkTags(meant) : undefined
  const dialect = chooseDialect(chance, callsOf(meant))
  const wire = withLineEnds(chance, withNoise(chance, framesOf(tagged ?? meant, dialect, chance)))
  const endsSilently = chance.chance(0.2)
  const profile = { ...plainTarget.profile, ...(tagged && { thinkTags: "paired" as const }) }
  const chunks = readPieces({ ...plainTarget, profile }, splitBytes(chance, Buffer.from(wire)))
  const reply = readChunks(chunks, { endsSilently })
  const problem = chunkProblem(chunks) ?? differenceFrom(meant, reply, endsSilently)
  if (problem) throw new Error(`${problem}\n${JSON.stringify({ meant, dialect, wire }, null, 1)}`)
}

/** R5: thinking that the model writes into its content; undefined where that would change what is meant. */
function withThinkTags(meant: MeantReply): MeantReply | undefined {
  const [first, ...rest] = meant.parts
  if (!first || !("reasoning" in first) || first.reasoning.includes("</think>")) return undefined
  const spoken = rest.flatMap((part) => ("text" in part && part.text !== "" ? [part.text] : []))
  if (/^\s/.test(spoken[0] ?? "")) return undefined // white space behind the tag is not kept
  return { ...meant, parts: [{ text: `<think>${first.reasoning}</think>` }, ...rest] }
}
