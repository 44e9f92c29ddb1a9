/**
 * Tool names as providers mangle them: split over deltas, repeated in each, with control tokens or a namespace glued on
 * (quirks N1–N8). Only an exact match with a known tool counts; nothing here guesses a near one.
 */

export type IsKnownTool = (name: string) => boolean

const NAMESPACES = ["functions.", "default_api:", "default_api."]
/** Far above what any provider allows. A name that goes on and on is cut, so that joining stays linear. */
const LONGEST = 256
/** `<|` begins a control token (N7); a lone `<` at the end is one whose other half has not come yet. */
const CONTROL_TOKEN = /<(?:\||$)/

/** The name that was meant by what was written. */
export function cleanName(written: string, isKnown: IsKnownTool): string {
  const token = written.search(CONTROL_TOKEN)
  const name = (token < 0 ? written : written.slice(0, token)).slice(0, LONGEST).trim()
  if (isKnown(name)) return name
  for (const namespace of NAMESPACES) {
    if (name.startsWith(namespace) && isKnown(name.slice(namespace.length))) return name.slice(namespace.length)
  }
  return name
}

export interface NamedCall {
  /** Its name as it arrived. */
  written: string
  /** What was meant by that. */
  name: string
  /** Characters of its arguments: once they have begun, an unknown name does not grow any more. */
  received: number
}

/**
 * The written name with this piece added, or undefined when the piece names another call. `bare`: it comes without arguments; then
 * also a known name may go on while it has none (`edit` + `_fi` + `le`). At worst no tool has the joined name, and the model is told.
 */
export function joinName(
  { written, name, received }: NamedCall,
  piece: string,
  isKnown: IsKnownTool,
  bare = false,
): string | undefined {
  if (piece === written || written === "") return piece
  const named = cleanName(piece, isKnown)
  if (named === name) return written
  const joined = written.length < LONGEST ? written + piece : written
  const joinedName = cleanName(joined, isKnown)
  if (joinedName !== name && isKnown(joinedName)) return joined
  const snapshot = piece.startsWith(written)
  if (isKnown(named)) return snapshot && received === 0 ? piece : undefined
  // A known name is settled: what follows can only be the rest of a control token.
  if (isKnown(name)) return joinedName === name || (bare && received === 0) ? joined : undefined
  if (received > 0) return undefined
  return snapshot ? piece : joined
}
