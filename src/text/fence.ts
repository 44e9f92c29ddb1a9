/** Puts text that others wrote between fences it cannot close, so that it is never mistaken for words of ours. */

const SHORTEST = 3

/** The fence is longer than any run of backticks inside. */
export function fence(text: string): string {
  let longest = 0
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length)
  const bar = "`".repeat(Math.max(SHORTEST, longest + 1))
  return `${bar}\n${text}${text.endsWith("\n") ? "" : "\n"}${bar}`
}

/** On one line, without control characters: for names and descriptions that stand between words of ours. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim()
}
