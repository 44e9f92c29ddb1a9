/**
 * What a command printed, in constant memory: its beginning, its end, and how much lies between. A line that is written over
 * with carriage returns (a progress bar) counts with its last state only.
 */

export interface BoundedOutput {
  push(text: string): void
  /** So many characters were printed here that nobody looked at. */
  skip(characters: number): void
  text(): string
  /** Something is missing in `text()`. */
  readonly cut: boolean
  /** Its last characters only, for a glance while the command runs. */
  recent(characters: number): string
}

export interface OutputBounds {
  /** Characters to keep from the beginning. */
  head: number
  /** Characters to keep from the end. */
  tail: number
}

export function boundedOutput(bounds: OutputBounds): BoundedOutput {
  const settled = emptyExcerpt()
  let line = emptyExcerpt() // the unfinished last line: a carriage return may still wipe it
  let returned = false // a carriage return stands before what comes next

  /** `text` has no carriage return. */
  const write = (text: string) => {
    if (text === "") return
    if (returned && !text.startsWith("\n")) line = emptyExcerpt()
    returned = false
    const end = text.lastIndexOf("\n") + 1
    if (end > 0) {
      append(settled, line, bounds)
      append(settled, excerptOf(text.slice(0, end)), bounds)
      line = emptyExcerpt()
    }
    append(line, excerptOf(text.slice(end)), bounds)
  }
  const whole = () => {
    const all = { ...settled }
    append(all, line, bounds)
    return all
  }
  return {
    push(text) {
      let start = 0
      for (let at = text.indexOf("\r"); at !== -1; at = text.indexOf("\r", start)) {
        write(text.slice(start, at))
        returned = true
        start = at + 1
      }
      write(start === 0 ? text : text.slice(start))
    },
    skip(characters) {
      append(settled, line, bounds)
      line = emptyExcerpt()
      returned = false
      settled.lost += settled.tail.length + characters
      settled.tail = ""
    },
    text: () => render(whole(), bounds),
    get cut() {
      return isCut(whole(), bounds)
    },
    recent(characters) {
      const { head, tail, lost } = whole()
      return lastOf(lost === 0 ? head + tail : tail, characters)
    },
  }
}

/** The beginning of a text, its end, and the number of characters lost between. The end may be longer than its bound for a while. */
interface Excerpt {
  head: string
  tail: string
  lost: number
}

function emptyExcerpt(): Excerpt {
  return { head: "", tail: "", lost: 0 }
}

function excerptOf(text: string): Excerpt {
  return { head: text, tail: "", lost: 0 }
}

/** If `more` lost something, its end alone fills the bound, so that the gap is not in what is kept. */
function append(excerpt: Excerpt, more: Excerpt, { head, tail }: OutputBounds): void {
  const room = excerpt.tail === "" && excerpt.lost === 0 ? head - excerpt.head.length : 0
  excerpt.head += more.head.slice(0, room)
  excerpt.tail += more.head.slice(room) + more.tail
  excerpt.lost += more.lost
  if (excerpt.tail.length <= 2 * tail) return
  excerpt.lost += excerpt.tail.length - tail
  excerpt.tail = excerpt.tail.slice(excerpt.tail.length - tail)
}

function isCut({ tail, lost }: Excerpt, bounds: OutputBounds): boolean {
  return lost > 0 || tail.length > bounds.tail
}

function render(excerpt: Excerpt, bounds: OutputBounds): string {
  const { head, tail, lost } = excerpt
  if (!isCut(excerpt, bounds)) return head + tail
  const first = /[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head
  const last = lastOf(tail, bounds.tail)
  const gap = `… ${head.length - first.length + lost + tail.length - last.length} characters left out …`
  return `${first}${first === "" || first.endsWith("\n") ? "" : "\n"}${gap}\n${last}`
}

/** Never begins with the second half of a character. */
function lastOf(text: string, characters: number): string {
  const start = Math.max(0, text.length - characters)
  return text.slice(/[\uDC00-\uDFFF]/.test(text.charAt(start)) ? start + 1 : start)
}
