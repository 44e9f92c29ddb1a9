/** Argument texts as models write them, in three shapes and any length, cut into the pieces in which they arrive. */

export type Shape = "long string" | "many edits" | "scalars"
export const SHAPES: readonly Shape[] = ["long string", "many edits", "scalars"]

export function argumentText(shape: Shape, length: number): string {
  return JSON.stringify(MAKE[shape](length))
}

const MAKE: Record<Shape, (length: number) => unknown> = {
  "long string": (length) => ({ path: "src/reader.ts", content: SOURCE.repeat(Math.ceil(length / SOURCE.length)) }),
  "many edits": (length) => ({
    path: "src/reader.ts",
    edits: Array.from({ length: Math.ceil(length / 150) }, (_, line) => ({
      search: `  const total${line} = count(items)\n  return total${line}\n`,
      replace: `  const total${line} = count(items, "all")\n  return total${line} + 1\n`,
    })),
  }),
  scalars: (length) =>
    Array.from({ length: Math.ceil(length / 65) }, (_, id) => ({
      id,
      line: id * 7,
      score: id / 8,
      done: id % 3 === 0,
      parent: null,
    })),
}

export const SOURCE = `export function count(items: readonly Item[], kind = "all"): number {
\tlet total = 0
\tfor (const item of items) {
\t\tif (kind === "all" || item.kind === kind) total += item.amount // whatever was asked for
\t}
\treturn total
}

`

/** Flat strings of their own, as they come off a wire, not views into one long text. The text must be ASCII. */
export function cut(text: string, size: number): string[] {
  const bytes = Buffer.from(text, "latin1")
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.toString("latin1", at, at + size))
  return pieces
}
