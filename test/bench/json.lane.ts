/** The ways to read a JSON text that arrives in pieces, with what can be read so far looked at after each piece. */
import { JSONParser } from "@streamparser/json"
import { parse as parseRiver } from "jsonriver"
import { parse as parsePartial } from "partial-json"
import type { JsonEvents } from "../../src/json/events.ts"
import { liveJson } from "../../src/json/live-json.ts"
import { jsonReader, read } from "../../src/json/reader.ts"
import { argumentText, cut, type Shape } from "./json-texts.ts"
import { type Job, serveLane } from "./lane-process.ts"

export interface JsonCell {
  shape: Shape
  length: number
  pieceLength: number
  /** Where reading again and again has no end: it stops after this. */
  budgetMs: number
}

const nobody = (): void => {}
const SILENCE: JsonEvents<undefined> = {
  openObject: nobody,
  openArray: nobody,
  close: nobody,
  key: nobody,
  scalar: nobody,
  openString: nobody,
  text: nobody,
  closeString: nobody,
}

function preview(pieces: readonly string[]): ReturnType<typeof liveJson> {
  const live = liveJson()
  let seen = 0
  for (const piece of pieces) {
    live.push(piece)
    if (live.value !== undefined) seen++
  }
  if (seen === 0 || live.state !== "complete") throw new Error("the text was not read")
  return live
}

async function* arriving(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces
}

const READERS: Record<string, (pieces: readonly string[], budgetMs: number) => unknown> = {
  limit(pieces) {
    let text = ""
    for (const piece of pieces) text += piece
    return JSON.parse(text)
  },
  /** What a strict reader cannot avoid: each character is looked at, once. */
  scan(pieces) {
    let special = 0
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; at++) {
        const code = piece.charCodeAt(at)
        if (code === 0x22 || code === 0x5c || code < 0x20) special++
      }
    }
    if (special === 0) throw new Error("the text was not read")
  },
  events(pieces) {
    const reader = jsonReader(SILENCE, undefined)
    for (const piece of pieces) read(reader, piece)
    if (reader.state !== "complete") throw new Error("the text was not read")
  },
  live: (pieces) => void preview(pieces),
  sealed: (pieces) => preview(pieces).seal(),
  "@streamparser/json"(pieces) {
    const parser = new JSONParser({ emitPartialTokens: true, emitPartialValues: true })
    let seen = 0
    parser.onValue = ({ value }) => {
      if (value !== undefined) seen++
    }
    for (const piece of pieces) parser.write(piece)
    if (seen === 0 || !parser.isEnded) throw new Error("the text was not read")
  },
  async jsonriver(pieces) {
    let seen = 0
    for await (const value of parseRiver(arriving(pieces))) if (value !== undefined) seen++
    if (seen === 0) throw new Error("the text was not read")
  },
  /** Parses everything received once more after each piece. Answers which part it came to read within the budget. */
  "partial-json"(pieces, budgetMs) {
    const until = performance.now() + budgetMs
    let text = ""
    let count = 0
    for (const piece of pieces) {
      text += piece
      parsePartial(text)
      count++
      if (performance.now() > until) break
    }
    return count / pieces.length
  },
}

const jobs = Object.entries(READERS).map(([name, reader]): [string, Job<JsonCell>] => [
  name,
  ({ shape, length, pieceLength, budgetMs }) => {
    const pieces = cut(argumentText(shape, length), pieceLength)
    return () => reader(pieces, budgetMs)
  },
])

serveLane(Object.fromEntries(jobs))
