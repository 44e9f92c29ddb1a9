/** Search by meaning over the workspace, as a port. */

export interface CodeHit {
  /** From the workspace. */
  path: string
  /** First and last line, counted from 1. */
  lines: [number, number]
  /** The symbol it is, where it is one: `function parseHeader`. */
  symbol?: string
  /** Numbered lines of it, the most telling ones of a long one. */
  text: string
  /** Which words matched where, for people and the model. */
  why: string
  score: number
}

export interface CodeFound {
  hits: CodeHit[]
  /** Files the index holds. */
  files: number
  /** Files that were not read yet when the time was up: the answer may lack something. */
  pending: number
  /** What else the reader of the answer should know, a line each. */
  notes: string[]
}

export interface CodeSearchOptions {
  /** Only below this folder, or in this file, from the workspace. */
  folder?: string
  most: number
  signal: AbortSignal
  /** How far the index has come, while it is built or brought up to date. */
  onProgress(done: number, of: number): void
}

export interface CodeSearch {
  /** Brings the index up to date first, for as long as a caller can be kept waiting. Rejects with a HostError in one line. */
  search(words: string, options: CodeSearchOptions): Promise<CodeFound>
}
