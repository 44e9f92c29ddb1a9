/** How the rules of a folder are told to the model when its work first comes there. */
import { fence, oneLine } from "../text/fence.ts"
import type { RuleFile } from "../types/project.ts"

/** Begins what is told of a file, so that a task that is continued can see that it was told. */
export function enteredMark(path: string): string {
  return `[Added by Joey: rules for ${folderOf(path)}, from ${oneLine(path)}`
}

export function enteredText({ path, text, bytes, cutFrom }: RuleFile): string {
  const cut = cutFrom === undefined ? "" : `; cut for its size: the first ${bytes} of ${cutFrom} bytes`
  return `${enteredMark(path)}${cut}. They hold for work in that folder, as the rule files above do, and count more there.]\n${fence(text.trim())}`
}

function folderOf(path: string): string {
  return oneLine(path.slice(0, path.lastIndexOf("/") + 1))
}
