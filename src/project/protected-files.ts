/** Files that steer Joey, git or an editor: writing one changes what is read, allowed or run later, so it is always asked. */

const FOLDERS = /(?:^|\/)\.(?:git|joey|roo|agents|claude|vscode|(?:roo|cline)rules[^/]*)(?:\/|$)/i
const FILES = new RegExp(
  `(?:^|/)(?:${[
    "\\.(?:roo|joey)ignore",
    "\\.roomodes",
    "\\.rooprotected",
    "\\.cursorrules",
    "[^/]*\\.code-workspace",
    "AGENTS?\\.md",
    "AGENTS\\.local\\.md",
    "CLAUDE\\.md",
  ].join("|")})$`,
  "i",
)

/** `path` is relative to the workspace, or where it really leads. Letter case does not matter: some disks ignore it. */
export function isProtected(path: string): boolean {
  const file = path.replaceAll("\\", "/")
  return FOLDERS.test(file) || FILES.test(file)
}
