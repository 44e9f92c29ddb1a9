/** Counts the comments that promise work, by file, so that a model need not read everything to know where they are. */
import { readdir, readFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { defineCustomTool, parametersSchema as z } from "joey"

const PROMISE = /\b(?:TODO|FIXME|HACK)\b/g

export default defineCustomTool({
  name: "todo_comments",
  description: "Count TODO, FIXME and HACK comments below a folder, by file, most first.",
  parameters: z.object({
    folder: z.string().default(".").describe("Relative to the workspace"),
    most: z.number().int().min(1).max(100).default(20).describe("Files to name at most"),
  }),
  async execute({ folder, most }, { workspace }) {
    const found: { file: string; count: number }[] = []
    for (const entry of await readdir(join(workspace, folder), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (!entry.isFile() || /(?:^|[\\/])(?:node_modules|\.git)[\\/]/.test(path)) continue
      const count = (await readFile(path, "utf8")).match(PROMISE)?.length ?? 0
      if (count > 0) found.push({ file: relative(workspace, path), count })
    }
    found.sort((one, other) => other.count - one.count)
    return found.length === 0
      ? "None."
      : found
          .slice(0, most)
          .map(({ file, count }) => `${count} ${file}`)
          .join("\n")
  },
})
