/** What a shell line does, as far as it can be known without running it. */

export interface Word {
  /** As the line has it. */
  text: string
  /** Without quotes, values filled in; undefined when only running it would tell. */
  value: string | undefined
  /** Stands for file names: `*`, `?` or `[…]` outside quotes. */
  glob: boolean
  /** Begins with the home folder. */
  tilde: boolean
}

export interface Assignment {
  name: string
  /** undefined when not known. */
  value?: string
  /** Programs that are started see it. */
  exported: boolean
}

/** The folders a command may find itself in, from the one the line starts in (""); undefined when not known. */
export type Folders = readonly string[] | undefined

export interface SimpleCommand {
  words: readonly Word[]
  argv: readonly (string | undefined)[]
  text: string
  folders: Folders
  cwdKnown: boolean
  /** What it was found in, outermost first: `sudo`, `xargs`, `sh -c`, `$(…)`. */
  via: readonly string[]
  assignments: readonly Assignment[]
  /** It only starts another command, which is in the list as well. */
  wrapper: boolean
  /** Its input is a pipe, a here-document or a file. */
  fed: boolean
}

export interface Redirection {
  target: Word
  operator: string
  folders: Folders
}

export interface ParsedLine {
  commands: SimpleCommand[]
  writes: Redirection[]
  reads: Redirection[]
  /** What was not fully understood, in words. With any doubt a person decides. */
  doubts: string[]
}

export function simpleCommand(
  words: readonly Word[],
  { text, folders, via = [], assignments = [], wrapper = false, fed = false }: Partial<SimpleCommand> = {},
): SimpleCommand {
  return {
    words,
    argv: words.map(({ value }) => value),
    text: text ?? words.map((word) => word.text).join(" "),
    folders,
    cwdKnown: folders !== undefined,
    via,
    assignments,
    wrapper,
    fed,
  }
}

export function literalWord(text: string): Word {
  return { text, value: text, glob: false, tilde: false }
}

/** The same folders again: undefined (not known) swallows all. */
export function unite(a: Folders, b: Folders): Folders {
  if (!a || !b) return undefined
  const all = [...new Set([...a, ...b])]
  return all.length > 8 ? undefined : all
}
