/** A transcript to which accidents happened: nothing may break, and nothing may be guessed. */
import type { Target } from "../../src/providers/target.ts"
import type { Random } from "../random.ts"
import { anyTranscript } from "./corpus.ts"
import { damaged } from "./damage.ts"
import type { Property } from "./property.ts"
import { chunkProblem, plainTarget, readChunks, readPieces, replyProblem, splitBytes } from "./reading.ts"

export const damage: Property = {
  name: "damage",
  holds: "whatever happens to a transcript, it is read without a crash, the same however it is split, and nothing is guessed",
  share: 0.2,
  check,
}

function check(chance: Random): void {
  const bytes = damagedBytes(chance)
  const thinkTags = chance.pick(["none", "none", "paired", "unopened"] as const)
  const target: Target = { ...plainTarget, profile: { ...plainTarget.profile, thinkTags } }
  const chunks = readPieces(target, [bytes])
  const reply = readChunks(chunks, { endsSilently: chance.chance(0.2) })
  const problem =
    chunkProblem(chunks) ?? replyProblem(chunks, reply) ?? splitProblem(chance, bytes, target, JSON.stringify(chunks))
  if (problem)
    throw new Error(
      `${problem}\n${JSON.stringify({ thinkTags, wire: Buffer.from(bytes).toString("latin1"), chunks, reply }, null, 1)}`,
    )
}

export function damagedBytes(chance: Random): Uint8Array {
  return damaged(chance, anyTranscript(chance).frames, anyTranscript(chance).frames)
}

function splitProblem(chance: Random, bytes: Uint8Array, target: Target, whole: string): string | undefined {
  const pieces = splitBytes(chance, bytes)
  const split = JSON.stringify(readPieces(target, pieces))
  return split === whole ? undefined : `split into ${pieces.map(({ length }) => length).join(", ")} it is read as ${split}`
}
