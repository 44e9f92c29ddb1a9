import { describe, expect, it } from "vitest"
import { compileGlob } from "./rules-glob.ts"

const matches = (pattern: string, path: string) => compileGlob(pattern)?.(path.split("/"))

describe("a glob", () => {
  it.each([
    ["a.ts", "a.ts"],
    ["*.ts", "a.ts"],
    ["*.ts", ".ts"],
    ["?.ts", "a.ts"],
    ["src/*", "src/.hidden"],
    ["src/**", "src/a/b/c.ts"],
    ["src/**", "src"],
    ["**/a", "a"],
    ["**/a", "x/y/a"],
    ["a/**/b", "a/b"],
    ["a/**/b", "a/x/y/b"],
    ["**/*.test.*", "src/x.test.ts"],
    ["[a-c]x", "bx"],
    ["[!a]x", "bx"],
    ["[^a]x", "bx"],
    ["[]a]x", "]x"],
    ["{a,b}.ts", "b.ts"],
    ["{src,test}/{a,b{c,d}}", "test/bd"],
    ["\\*", "*"],
    ["a\\{b", "a{b"],
    ["**", ""],
    ["ä*", "ärger"],
    ["?", "🦘"],
  ])("%s matches %s", (pattern, path) => expect(matches(pattern, path)).toBe(true))

  it.each([
    ["*.ts", "src/a.ts"],
    ["src/*", "src/a/b"],
    ["src/**", "srcx/a"],
    ["a/**/b", "a/xb"],
    ["[a-c]x", "dx"],
    ["a?c", "ac"],
    ["\\*", "x"],
    ["a.ts", "a_ts"],
    ["(a|b)", "a"],
  ])("%s does not match %s", (pattern, path) => expect(matches(pattern, path)).toBe(false))

  it.each(["[a", "{a,b", "a}", "{a,b}".repeat(7), "x".repeat(1_001)])("%s is none", (pattern) => {
    expect(compileGlob(pattern)).toBeUndefined()
  })

  it("ends soon with a pattern made to take forever", () => {
    expect(matches(`${"*a".repeat(200)}b`, "a".repeat(255))).toBe(false)
    expect(matches(`${"**/a/".repeat(100)}b`, "a/".repeat(500))).toBe(false)
  })
})
