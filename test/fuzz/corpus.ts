/**
 * Transcripts as the scripted model and its dialects write them, made once: most cases need some transcript to go wrong with, and
 * making one costs more than reading it. The same in every run, so that a case depends on its own number alone.
 */
import type { Chunk } from "../../src/types/chunk.ts"
import { type Random, random } from "../random.ts"
import { chooseDialect, framesOf } from "./dialect.ts"
import { callsOf, meantReply } from "./meant-reply.ts"
import { plainTarget, readPieces } from "./reading.ts"

export interface Transcript {
  frames: readonly string[]
  bytes: Uint8Array
  /** As read from one piece, also in JSON. */
  chunks: readonly Chunk[]
  json: string
}

const SIZE = 400
/** Most of them are short: what long ones could show, short ones show sooner. */
const SHORT = 1_200
const made = new Map<number, Transcript>()

/** One of the corpus; now and then one that was never seen before. */
export function anyTranscript(chance: Random): Transcript {
  if (chance.chance(0.02)) return transcript(chance)
  const number = chance.int(1, SIZE)
  const known = made.get(number) ?? shortTranscript(random(number * 7919))
  made.set(number, known)
  return known
}

function shortTranscript(chance: Random): Transcript {
  for (;;) {
    const candidate = transcript(chance)
    if (candidate.bytes.length < SHORT || chance.chance(0.1)) return candidate
  }
}

function transcript(chance: Random): Transcript {
  const meant = meantReply(chance)
  const frames = framesOf(meant, chooseDialect(chance, callsOf(meant)), chance)
  const bytes = Buffer.from(frames.join(""))
  const chunks = readPieces(plainTarget, [bytes])
  return { frames, bytes, chunks, json: JSON.stringify(chunks) }
}
