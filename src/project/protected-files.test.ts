/** Files that steer Joey, git or an editor. */
import { expect, it } from "vitest"
import { isProtected } from "./protected-files.ts"

it.each([
  ".rooignore",
  ".joeyignore",
  ".roomodes",
  ".roorules",
  ".roorules-code",
  ".clinerules",
  ".clinerules-ask",
  ".clinerules/one.md",
  ".rooprotected",
  ".roo/rules/a.md",
  ".joey/settings.json",
  ".vscode/tasks.json",
  ".git/hooks/pre-commit",
  ".agents/skills/a/SKILL.md",
  ".claude/agents/a.md",
  "my.code-workspace",
  "AGENTS.md",
  "AGENT.md",
  "AGENTS.local.md",
  "CLAUDE.md",
  ".cursorrules",
  "packages/web/AGENTS.md",
  "packages/web/.roo/rules/a.md",
  "vendor/lib/.git/config",
  ".ROO/rules/a.md",
  ".roo\\rules\\a.md",
  ".git",
])("%s is protected", (path) => expect(isProtected(path)).toBe(true))

it.each([
  ".rooignored",
  ".roomodes.bak",
  ".roo-notes.md",
  ".gitignore",
  ".github/workflows/ci.yml",
  "src/agents.ts",
  "docs/MY-AGENTS.md",
  "AGENTS.md.txt",
  "code-workspace",
  "src/roo/a.ts",
  "",
])("an ordinary file stays ordinary: %s", (path) => expect(isProtected(path)).toBe(false))
