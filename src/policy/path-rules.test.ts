/** What steers git, the editor or Joey itself is protected, wherever a project says nothing of its own. */
import { expect, it } from "vitest"
import { DEFAULT_PATH_RULES } from "./path-rules.ts"

it.each([
  ".git/config",
  ".git",
  "lib/.git/hooks/pre-commit",
  ".GIT/config",
  ".joey/settings.json",
  ".roo/rules/a.md",
  ".vscode/tasks.json",
  ".roomodes",
  "sub/.rooignore",
  ".joeyignore",
  "AGENTS.md",
  "docs/AGENT.md",
])("S28: protects %s", (path) => expect(DEFAULT_PATH_RULES.isProtected(path)).toBe(true))

it.each([".gitignore", ".github/workflows/ci.yml", "src/git/config", "AGENTS.md.txt", "my.git.ts", "joey/a", "a/.rooignored"])(
  "leaves %s alone",
  (path) => expect(DEFAULT_PATH_RULES.isProtected(path)).toBe(false),
)

it("ignores nothing unless told to", () => expect(DEFAULT_PATH_RULES.isIgnored("secret.env")).toBe(false))
