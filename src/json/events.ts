/** What the reader tells its listener, and what it says of a text that is not JSON. */

/**
 * What was read. Structure, keys and scalars come whole; a string's text comes in pieces, as it arrives. Each function gets
 * the listener's own state first, so that one set of functions serves every reader and calls to it stay cheap.
 */
export interface JsonEvents<Listener> {
  openObject(listener: Listener): void
  openArray(listener: Listener): void
  /** The innermost object or array is complete. */
  close(listener: Listener): void
  /** Names the value that follows. */
  key(listener: Listener, name: string): void
  scalar(listener: Listener, value: number | boolean | null): void
  openString(listener: Listener): void
  /** Decoded and never empty. No piece ends in half a surrogate pair whose other half may still come. */
  text(listener: Listener, piece: string): void
  closeString(listener: Listener): void
}

/** Where a text stops being JSON, and why in plain words. */
export interface Place {
  problem: string
  offset: number
}
