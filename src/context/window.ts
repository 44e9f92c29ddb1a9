/** How the window of a model is shared out: the reply, what every request has, and the past. Pure. */
import type { ModelFacts } from "../types/model.ts"

export interface WindowShares {
  window: number
  /** Kept free for the reply. */
  reserve: number
  /** The prompt and the tools. */
  overhead: number
  /** What is left for the past. */
  usable: number
  /** At so many tokens of everything together the past is condensed; none when it never is by itself. */
  trigger: number
  /** Of the past, at the trigger: what the shares of a condensed past are taken of. */
  room: number
}

/** A reply that nobody limits; enough for a long file. */
const USUAL_REPLY = 8_192
/** Some models may fill half their window with one reply, and hardly ever do. */
const MOST_FOR_REPLY = 0.2
/** Nearer than this to the end, an estimate that is a little low overflows; further away, the past is always being condensed. */
const LOWEST_THRESHOLD = 0.2
const HIGHEST_THRESHOLD = 0.95
const USUAL_THRESHOLD = 0.8

/** `threshold`: a share of what is usable, 0 for never. `ceiling`: the fewest tokens this model has refused, whatever its window is said to be. */
export function shareWindow(
  { window: said, output = USUAL_REPLY }: Pick<ModelFacts, "window" | "output">,
  { overhead, threshold, ceiling }: { overhead: number; threshold: number; ceiling?: number | undefined },
): WindowShares {
  const believed = ceiling !== undefined && ceiling > overhead ? Math.min(said, ceiling) : said
  const window = Math.max(1, Math.floor(believed))
  const reserve = Math.floor(Math.min(output, window * MOST_FOR_REPLY))
  const usable = Math.max(0, window - reserve - overhead)
  const share = threshold > 0 ? Math.min(Math.max(threshold, LOWEST_THRESHOLD), HIGHEST_THRESHOLD) : USUAL_THRESHOLD
  const room = Math.floor(usable * share)
  return { window, reserve, overhead, usable, room, trigger: threshold > 0 ? overhead + room : Number.POSITIVE_INFINITY }
}
