/**
 * The last raw bytes that servers sent to a task, for whoever looks into a reply that was read wrongly. Only references are kept, so that
 * streaming costs nothing more; what is too old is let go.
 */
import { writeFileSync } from "node:fs"
import { redactPieces } from "../text/redact-pieces.ts"

const MOST_BYTES = 256 * 1024
/** However small they are: each keeps something alive. */
const MOST_FRAMES = 4_096

export interface FrameRing {
  /** As they came from the network, one read at a time. */
  push(bytes: Uint8Array): void
  /** Oldest first, each under a line that says when it came and how long it was. */
  bytes(): Buffer
}

interface Frame {
  at: number
  bytes: Uint8Array
}

export function frameRing(now: () => number = Date.now): FrameRing {
  let frames: Frame[] = []
  let first = 0
  let size = 0
  function letGo(): void {
    for (; first < frames.length - 1 && (size > MOST_BYTES || frames.length - first > MOST_FRAMES); first++) {
      size -= frames[first]?.bytes.length ?? 0
    }
    if (first < MOST_FRAMES) return
    frames = frames.slice(first)
    first = 0
  }
  return {
    push(bytes) {
      frames.push({ at: now(), bytes })
      size += bytes.length
      letGo()
    },
    bytes() {
      const kept = frames.slice(first)
      const began = kept[0]?.at ?? 0
      return Buffer.concat(
        kept.flatMap(({ at, bytes }, index) => {
          const when = index === 0 ? new Date(at).toISOString() : `+${at - began} ms`
          return [Buffer.from(`@@ ${when}, ${bytes.length} bytes\n`), bytes.subarray(-MOST_BYTES), LINE_END]
        }),
      )
    },
  }
}

const LINE_END = Buffer.from("\n")

/**
 * Written when a request failed and when a task is let go of, without the values we hold: what else looks secret is taken out when it
 * leaves the machine. A disk that cannot take it is no reason to stop.
 */
export function keepFrames(ring: FrameRing, path: string, held: readonly string[] = []): void {
  const bytes = ring.bytes()
  if (bytes.length === 0) return
  try {
    writeFileSync(path, withoutHeld(bytes, held), { mode: 0o600 })
  } catch {}
}

const SHORTEST_SECRET = 6

/** One character per byte, so that nothing else changes. */
function withoutHeld(bytes: Buffer, held: readonly string[]): Buffer {
  const secrets = held.filter((value) => value.length >= SHORTEST_SECRET)
  if (secrets.length === 0) return bytes
  const forms = secrets.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
  const hide = (text: string, values: readonly string[] = []) =>
    values.reduce((safe, value) => safe.replaceAll(value, "[redacted]"), text)
  const written = forms.map((form) => Buffer.from(form).toString("latin1"))
  return Buffer.from(redactPieces(bytes.toString("latin1"), written, hide), "latin1")
}
