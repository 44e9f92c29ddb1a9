import { describe, expect, it } from "vitest"
import type { JsonObject } from "../types/json.ts"
import { matchesGlob } from "./glob.ts"
import { matcherProblem, matches, meets } from "./matcher.ts"

describe("a matcher", () => {
  it.each([
    [undefined, "Bash", true],
    ["", "Bash", true],
    ["*", "Bash", true],
    ["Bash", "Bash", true],
    ["Bash", "BashOutput", false],
    ["Edit|Write", "Write", true],
    ["Edit | Write", "Edit", true],
    ["Edit|Write", "MultiEdit", false],
    ["Notebook.*", "NotebookEdit", true],
    ["^mcp__memory__", "mcp__memory__add", true],
    ["mcp__.*__write.*", "mcp__fs__write_file", true],
    ["bash", "Bash", false],
    ["Ba(sh", "Anything", true],
  ])("%s for %s: %s", (matcher, name, expected) => expect(matches(matcher, name)).toBe(expected))

  it("says when it is no regular expression", () => {
    expect(matcherProblem("Ba(sh")).toContain("Ba(sh")
    expect(matcherProblem("*")).toBeUndefined()
  })
})

describe("a condition", () => {
  const about = (names: string[], input: JsonObject, paths: string[] = []) => ({ names, input, paths, workspace: "/w" })

  it.each([
    ["Bash(git push *)", "git push origin main", true],
    ["Bash(git push:*)", "git push", true],
    ["Bash(git push *)", "git status", false],
    ["Bash(git push *)", "npm test && git push", true],
    ["Bash(git push *)", "(cd x; git  push -f)", true],
    ["Bash(git push *)", `g"i"t push`, true],
    ["Bash(git push *)", "$GIT push", true],
    ["Bash(git push *)", "echo x | base64 -d | sh", true],
    ["Bash(git push *)", "/usr/bin/git push", true],
    ["Bash(rm *)", "npm run rmx", false],
    ["Bash", "anything", true],
    ["Edit(*)", "anything", false],
    ["not a ( rule", "anything", true],
  ])("%s for `%s`: %s", (condition, command, expected) => expect(meets(condition, about(["Bash"], { command }))).toBe(expected))

  it("looks at paths and addresses", () => {
    const edit = (path: string) => about(["Edit"], {}, [path])
    expect(meets("Edit(src/**)", edit("src/a/b.ts"))).toBe(true)
    expect(meets("Edit(./src/**)", edit("test/a.ts"))).toBe(false)
    expect(meets("Edit(*.ts)", edit("src/a.ts"))).toBe(true)
    expect(meets("Edit(//etc/**)", edit("/etc/passwd"))).toBe(true)
    const fetch = (url: string) => about(["WebFetch"], { url })
    expect(meets("WebFetch(domain:example.com)", fetch("https://docs.example.com/x"))).toBe(true)
    expect(meets("WebFetch(domain:example.com)", fetch("https://example.org"))).toBe(false)
  })
})

describe("a glob", () => {
  it.each([
    ["*.ts", "src/deep/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["*.{ts,tsx}", "a.tsx", true],
    ["src/**", "src/a/b", true],
    ["src/", "src/a/b", true],
    ["src/**/*.ts", "src/a.ts", true],
    ["src/**/*.ts", "lib/a.ts", false],
    ["**/test/*.js", "a/b/test/x.js", true],
    ["./src/?.ts", "src/a.ts", true],
    ["src/[ab].ts", "src/a.ts", true],
    ["src/[!ab].ts", "src/a.ts", false],
    ["src/[z-a].ts", "src/z.ts", false],
    ["a+b(c).ts", "a+b(c).ts", true],
    ["src/.*", "src/.env", true],
  ])("%s for %s: %s", (glob, path, expected) => expect(matchesGlob(glob, path)).toBe(expected))

  it("does not grow without bound over braces", () => {
    expect(matchesGlob("{a,b}".repeat(40), "x")).toBe(false)
  })
})
