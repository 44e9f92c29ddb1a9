/**
 * Counts how often a piece of work looks at characters, independent of any clock: the methods of strings and patterns are
 * replaced for as long as the work takes.
 */

export interface Looks {
  /** Single characters looked at in pieces that have just arrived. */
  once: number
  /**
   * Characters of longer strings that were looked at in any way. A text put together from pieces is copied as a whole by the
   * engine when somebody looks at it, so each look counts with its full length.
   */
  back: number
}

/** A string longer than two pieces is not one that has just arrived. */
export function looksDuring(pieceLength: number, work: () => void): Looks {
  const looks: Looks = { once: 0, back: 0 }
  const note = (text: unknown, single: boolean): void => {
    if (typeof text !== "string") return
    if (text.length > pieceLength * 2) looks.back += text.length
    else if (single) looks.once++
  }
  const restore = [
    ...replaceMethods(String.prototype, (self, _args, name) => note(self, SINGLE.has(name))),
    ...replaceMethods(RegExp.prototype, (_self, [text]) => note(text, false)),
  ]
  try {
    work()
  } finally {
    for (const undo of restore) undo()
  }
  return looks
}

const SINGLE: ReadonlySet<string> = new Set(["at", "charAt", "charCodeAt", "codePointAt"])
const LEFT_ALONE: ReadonlySet<string> = new Set(["constructor", "toString", "valueOf"])

type Note = (self: unknown, args: readonly unknown[], name: string) => void

function replaceMethods(prototype: object, note: Note): (() => void)[] {
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const described = Object.getOwnPropertyDescriptor(prototype, name)
    const method: unknown = described?.value
    if (!described || typeof method !== "function" || LEFT_ALONE.has(name)) return []
    function counted(this: unknown, ...args: unknown[]): unknown {
      note(this, args, name)
      return Reflect.apply(method as () => unknown, this, args)
    }
    Object.defineProperty(prototype, name, { ...described, value: counted })
    return [() => Object.defineProperty(prototype, name, described)]
  })
}
