/** Blocks of a diff as other agents have them in their calls: the text to find and the text to put there. For hooks that look. */
import type { JsonObject } from "../types/json.ts"
import { parseSearchReplace } from "./search-replace-blocks.ts"
import { isUnifiedDiff, parseUnifiedDiff } from "./unified-diff-blocks.ts"

/** Several blocks are in `edits` one by one, and in `old_string` and `new_string` one under the other. */
export function foreignEdits({ diff }: JsonObject): JsonObject {
  if (typeof diff !== "string") return {}
  const isBlocks = /^<<<<<<< SEARCH/m.test(diff)
  const parsed = !isBlocks && isUnifiedDiff(diff) ? parseUnifiedDiff(diff) : parseSearchReplace(diff)
  if (!parsed.ok) return {}
  const edits = parsed.edits.map(({ search, replace }) => ({ old_string: search.join("\n"), new_string: replace.join("\n") }))
  return {
    old_string: edits.map(({ old_string }) => old_string).join("\n"),
    new_string: edits.map(({ new_string }) => new_string).join("\n"),
    edits,
  }
}

/** A patch names its files itself; its text stands where a hook looks for what is written. */
export function foreignPatch({ patch }: JsonObject): JsonObject {
  return typeof patch === "string" ? { new_string: patch, content: patch } : {}
}
