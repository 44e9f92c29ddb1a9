/** Whether the next character of a text stands in code: inside a fence, on its opening line, or between backticks of one line. */

export interface MarkdownPlace {
  readonly inCode: boolean
  /** Nothing stands on the line yet. */
  readonly atLineStart: boolean
  take(text: string): void
}

export function markdownPlace(): MarkdownPlace {
  let fence: { mark: string; length: number } | undefined
  /** The run of backticks or tildes with which the line begins, behind its indentation. */
  let run = ""
  let inRun = true
  /** Only white space follows the run. */
  let bare = true
  let empty = true
  let ticks = 0

  function endLine(): void {
    if (run.length >= 3) {
      const mark = run.charAt(0)
      if (!fence) fence = { mark, length: run.length }
      else if (fence.mark === mark && run.length >= fence.length && bare) fence = undefined
    }
    run = ""
    inRun = true
    bare = true
    empty = true
    ticks = 0
  }

  function takeCharacter(character: string): void {
    empty = false
    if (character === "`") ticks++
    const blank = character === " " || character === "\t" || character === "\r"
    if (inRun && (character === "`" || character === "~") && (run === "" || run.startsWith(character))) run += character
    else if (!(blank && run === "")) {
      inRun = false
      bare &&= blank
    }
  }

  return {
    get inCode() {
      return fence !== undefined || run.length >= 3 || ticks % 2 === 1
    },
    get atLineStart() {
      return empty
    },
    take(text) {
      for (const character of text) {
        if (character === "\n") endLine()
        else takeCharacter(character)
      }
    },
  }
}
