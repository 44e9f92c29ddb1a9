/** Files that steer Joey, git or an editor: writing one changes what is read, allowed or run later, so it is always asked. */
import { foldPath } from "../text/path-forms.ts"

const FOLDERS = /(?:^|\/)\.(?:git|joey|roo|agents|claude|vscode|(?:roo|cline)rules[^/]*)(?:\/|$)/
const FILES = new RegExp(
  `(?:^|/)(?:${[
    "\\.(?:roo|joey)ignore",
    "\\.roomodes",
    "\\.rooprotected",
    "\\.cursorrules",
    "[^/]*\\.code-workspace",
    "agents?\\.md",
    "agents\\.local\\.md",
    "claude\\.md",
  ].join("|")})$`,
)

/** `path` is relative to the workspace, or where it really leads. Every name that some disk takes for such a file counts as one. */
export function isProtected(path: string): boolean {
  const file = foldPath(path)
  return FOLDERS.test(file) || FILES.test(file)
}
