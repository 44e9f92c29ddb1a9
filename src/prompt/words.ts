/** Small pieces of wording that sections share. */

/** A heading and its points; "" when there is none. What is false is left out. */
export function bullets(heading: string, points: readonly (string | false)[]): string {
  const said = points.filter((point) => point !== false)
  return said.length === 0 ? "" : [heading, ...said.map((point) => `- ${point}`)].join("\n")
}

/** "a", "a and b", "a, b and c". */
export function series(items: readonly string[], conjunction: "and" | "or" = "and"): string {
  const last = items.at(-1) ?? ""
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} ${conjunction} ${last}`
}
