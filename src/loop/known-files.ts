/**
 * What the model knows of files, so that an edit never overwrites what somebody else has changed since. Fingerprints stand in
 * the log and survive a restart; the texts, for a diff, are kept while there is room.
 */
import { createHash } from "node:crypto"
import type { TouchedPath } from "../types/stations.ts"
import type { KnownFiles } from "../types/tool.ts"
import type { Loop } from "./loop.ts"

const LARGEST_TEXT = 256 * 1024
const MOST_TEXTS = 64

export interface KnownTexts {
  get(path: string): string | undefined
  set(path: string, text: string | undefined): void
}

/** Forgets what was looked at longest ago. */
export function knownTexts(): KnownTexts {
  const texts = new Map<string, string>()
  return {
    get: (path) => texts.get(path),
    set(path, text) {
      texts.delete(path)
      if (text === undefined || text.length > LARGEST_TEXT) return
      texts.set(path, text)
      const [oldest] = texts.keys()
      if (texts.size > MOST_TEXTS && oldest !== undefined) texts.delete(oldest)
    },
  }
}

export interface LearningFiles extends KnownFiles {
  /** What this call taught: real path → fingerprint. */
  readonly learned: Readonly<Record<string, string>>
}

/** For one call: what earlier calls taught comes from the state. */
export function knownFiles({ state, texts, stations }: Loop, paths: readonly TouchedPath[]): LearningFiles {
  const learned: Record<string, string> = {}
  const realOf = (path: string) => paths.find((touched) => touched.path === path)?.real ?? stations.host.resolve(path)
  return {
    learned,
    learn(path, content) {
      const real = realOf(path)
      learned[real] = fingerprint(content)
      texts.set(real, typeof content === "string" ? content : readable(content))
    },
    outdated(path, content) {
      const real = realOf(path)
      const known = learned[real] ?? state.known.get(real)
      const now = fingerprint(content)
      if (known === now) return undefined
      const by = stations.siblings?.writer(real, now)
      if (known === undefined) return by === undefined ? undefined : { by }
      const before = texts.get(real)
      const isAtHand = before !== undefined && fingerprint(before) === known
      return { ...(isAtHand && { before }), ...(by !== undefined && { by }) }
    },
  }
}

export function fingerprint(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("base64url").slice(0, 22)
}

/** undefined where the text would not lead back to the same bytes. */
function readable(content: Uint8Array): string | undefined {
  if (content.length > LARGEST_TEXT) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return undefined
  }
}
