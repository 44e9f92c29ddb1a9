/**
 * Finds what a person points at with `@` in words they typed: files, folders, images, changes, commits, web pages, the last command.
 * Pure: nothing is looked up. Never run it over anything else than the person's own words; what a tool printed may contain an `@` of somebody else.
 */

export type Mention = {
  /** Where it stands in the text; `end` is behind its last character. */
  start: number
  end: number
  /** As typed. */
  text: string
} /** The path is taken from the workspace's root and has no escapes any more. */ & (
  | { kind: "file" | "folder" | "image"; path: string }
  | { kind: "git-changes" | "terminal" }
  | { kind: "commit"; hash: string }
  | { kind: "page"; url: string }
)

/** An `@` at the start or behind white space, and everything up to the next white space that is not escaped. */
const CANDIDATE = /(?<=^|\s)@((?:\\[^\S\r\n]|\S)+)/g
const IMAGE = /\.(?:png|jpe?g|gif|webp|bmp|svg|avif|ico|tiff?)$/i
const BRACKETS = [
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
] as const
const SENTENCE_END = /[.,;:!?'"`»”’>]/

export function findMentions(text: string): Mention[] {
  return [...text.matchAll(CANDIDATE)].flatMap((match): Mention[] => {
    const typed = withoutPunctuation(match[1] ?? "")
    const mention = { start: match.index, end: match.index + 1 + typed.length, text: `@${typed}` }
    if (typed.startsWith("/")) return [{ ...mention, ...pathOf(typed) }]
    if (typed === "git-changes" || typed === "terminal") return [{ ...mention, kind: typed }]
    if (/^https?:\/\//i.test(typed) && URL.canParse(typed)) return [{ ...mention, kind: "page", url: typed }]
    if (/^[0-9a-f]{7,40}$/i.test(typed)) return [{ ...mention, kind: "commit", hash: typed.toLowerCase() }]
    return []
  })
}

function pathOf(typed: string): { kind: "file" | "folder" | "image"; path: string } {
  const path = typed.slice(1).replace(/\\(\s)/g, "$1")
  if (path === "" || path.endsWith("/")) return { kind: "folder", path: path === "" ? "./" : path }
  return { kind: IMAGE.test(path) ? "image" : "file", path }
}

/** Drops what ends a sentence or closes a bracket opened before the mention, but keeps `page(1)`. */
function withoutPunctuation(typed: string): string {
  const surplus = surplusOfClosing(typed)
  let end = typed.length
  for (; end > 0; end--) {
    const last = typed.charAt(end - 1)
    const left = surplus[last]
    if (left === undefined ? !SENTENCE_END.test(last) : left <= 0) break
    if (left !== undefined) surplus[last] = left - 1
  }
  return typed.slice(0, end)
}

/** Of each closing bracket, how many more there are than opening ones. */
function surplusOfClosing(typed: string): Record<string, number> {
  const times = (character: string): number => typed.split(character).length - 1
  return Object.fromEntries(BRACKETS.map(([opening, closing]) => [closing, times(closing) - times(opening)]))
}
