/**
 * A JSON text that is still being written: `value` is what can be read of it so far, for eyes only; `seal()` decides, by a
 * strict parse of the whole text, whether it is JSON at all.
 *
 * Pieces may be cut anywhere. Nothing here reads the accumulated text back while it grows: that would flatten it each
 * time and make the whole quadratic.
 */
import type { Json } from "../types/json.ts"
import type { Place } from "./events.ts"
import { append, growingText, whole } from "./growing-text.ts"
import { GROW, type GrowingValue, growingValue, show } from "./growing-value.ts"
import { excerpt, openKey } from "./problem.ts"
import { endingOf, type JsonReader, jsonReader, read } from "./reader.ts"

export interface JsonProblem {
  /** In plain words, for example "the text ends inside a string". */
  problem: string
  /** Of the first character that no valid text could have there, or the length of a text that ends too early. */
  offset: number
  /** At most 40 characters around that place. */
  excerpt: string
  /** The key of the outermost object whose value was being written there. */
  unfinished?: string
}

export type Sealed = { ok: true; value: Json } | { ok: false; problem: JsonProblem }

export interface LiveJson {
  /** Never throws. */
  push(delta: string): void
  /** Grows in place: strings by their text, containers by their members; numbers, words and keys appear when whole. */
  readonly value: Json | undefined
  readonly state: "open" | "complete" | "broken"
  /** Set by the delta after which the text can no longer become valid. */
  readonly problem: JsonProblem | undefined
  /** Characters. */
  readonly received: number
  /** The whole text, without what came after the length limit was passed. Costs time in proportion to it: for the end. */
  text(): string
  seal(): Sealed
}

const MAX_LENGTH = 64 * 1024 * 1024

/** The engine cannot hold a longer string. */
const ENGINE_LENGTH = 2 ** 29 - 25

interface Limits {
  maxDepth?: number
  maxLength?: number
}

export function liveJson(limits: Limits = {}): LiveJson {
  return new Live(limits)
}

/** A class, because a method that finds its state in `this` costs a tenth less per delta here than a closure does. */
class Live implements LiveJson {
  value: Json | undefined = undefined
  state: LiveJson["state"] = "open"
  problem: JsonProblem | undefined = undefined
  received = 0
  private readonly maxLength: number
  private readonly written = growingText()
  private readonly growing = growingValue()
  private readonly reader: JsonReader<GrowingValue>
  private broken: Place | undefined = undefined

  constructor({ maxDepth, maxLength = MAX_LENGTH }: Limits) {
    this.maxLength = Math.min(maxLength, ENGINE_LENGTH)
    this.reader = jsonReader(GROW, this.growing, maxDepth)
  }

  push(delta: string): void {
    const room = this.maxLength - this.received
    this.received += delta.length
    if (delta.length <= room) this.take(delta)
    else {
      if (room > 0) this.take(delta.slice(0, room))
      this.breakOff({ problem: `the text is longer than ${this.maxLength} characters`, offset: this.maxLength })
    }
  }

  text(): string {
    return whole(this.written)
  }

  seal(): Sealed {
    if (this.broken !== undefined) return this.refuse(this.broken)
    try {
      return { ok: true, value: JSON.parse(this.text()) as Json }
    } catch {
      return this.refuse(endingOf(this.reader) ?? { problem: "the text is not JSON", offset: 0 })
    }
  }

  private take(delta: string): void {
    const { reader, growing } = this
    append(this.written, delta)
    if (this.broken !== undefined) return
    read(reader, delta)
    if (!growing.shown) show(growing)
    this.value = growing.value
    this.state = reader.state
    if (reader.problem !== undefined) this.breakOff(reader.problem)
  }

  private breakOff(place: Place): void {
    if (this.broken !== undefined) return
    this.broken = place
    this.state = "broken"
    this.problem = this.describe(place)
  }

  private refuse(place: Place): Sealed {
    return { ok: false, problem: this.describe(place) }
  }

  private describe(place: Place): JsonProblem {
    const unfinished = openKey(this.reader)
    return { ...place, excerpt: excerpt(this.text(), place.offset), ...(unfinished !== undefined && { unfinished }) }
  }
}
