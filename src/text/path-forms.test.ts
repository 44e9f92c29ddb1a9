/** Forms of paths on every platform, and names that some disk takes for the same. */
import { describe, expect, it } from "vitest"
import { foldPath, isBeneath, LONGEST_PATH, refusedForm } from "./path-forms.ts"

describe("on Windows", () => {
  const refusal = (path: string) => refusedForm(path, { platform: "win32", workspace: "C:\\work" })

  it.each([
    ["\\\\server\\share\\x", "another computer"],
    ["//server/share/x", "another computer"],
    ["\\/server\\share", "another computer"],
    ["\\\\10.0.0.1\\c$\\x", "another computer"],
    ["\\\\localhost\\c$\\x", "another computer"],
    ["\\\\?\\C:\\x", "device's form"],
    ["//?/C:/x", "device's form"],
    ["\\\\?\\UNC\\server\\share", "device's form"],
    ["\\\\.\\PhysicalDrive0", "device's form"],
    ["\\\\.\\pipe\\x", "device's form"],
    ["//./C:/x", "device's form"],
    ["\\??\\C:\\x", "device's form"],
    ["\\\\?\\GLOBALROOT\\Device\\x", "device's form"],
    ["C:secret.txt", "from the drive"],
    ["c:", "from the drive"],
    ["Z:..\\x", "from the drive"],
    ["a.txt:stream", "hidden stream"],
    ["a.txt::$DATA", "hidden stream"],
    [".git::$INDEX_ALLOCATION\\config", "hidden stream"],
    ["src\\a.txt:b:$DATA", "hidden stream"],
    ["C:\\code\\a.txt:s", "hidden stream"],
    ["C:\\D:\\x", "hidden stream"],
    ["CON", "a device"],
    ["nul", "a device"],
    ["NUL.txt", "a device"],
    ["src/aux.c", "a device"],
    ["prn .txt", "a device"],
    ["com1", "a device"],
    ["COM¹", "a device"],
    ["LPT9.log", "a device"],
    ["CONOUT$", "a device"],
    ["nul ", "a device"],
    ["NUL:", "a device"],
    ["con\\x", "a device"],
    [".git.", "drops a dot"],
    [".git \\config", "drops a dot"],
    ["a...", "drops a dot"],
    ["... \\x", "drops a dot"],
    ["a?.txt", "no name on Windows"],
    ["a|b", "no name on Windows"],
    ["a\nb", "no name on Windows"],
    ['"a"', "no name on Windows"],
    ["a*", "no name on Windows"],
  ])("%j is refused before the disk is asked", (path, words) => expect(refusal(path)).toContain(words))

  it.each([
    ...["src\\a.txt", "src/a.txt", "src\\sub/a.txt", "..\\x", ".", "..", "", "C:\\code\\a.txt", "c:/code/a.txt", "\\x", "D:\\x"],
    ...[
      "console.log",
      "nullable.ts",
      "com10",
      "auxiliary",
      "a b.txt",
      ".gitignore",
      "PROGRA~1\\x",
      "ä.txt",
      "com1x.txt",
      "a.con",
    ],
  ])("%j is taken as it is", (path) => expect(refusal(path)).toBeUndefined())

  it("a workspace on another computer is the person's own choice", () => {
    const options = { platform: "win32", workspace: "\\\\server\\share\\work" }
    expect(refusedForm("\\\\server\\share\\work\\a.txt", options)).toBeUndefined()
    expect(refusedForm("//server/share/work/a.txt", options)).toBeUndefined()
    expect(refusedForm("\\\\server\\share\\workshop\\a.txt", options)).toContain("another computer")
    expect(refusedForm("\\\\server\\share\\work\\nul", options)).toContain("a device")
  })
})

describe.each(["linux", "darwin", "win32"])("on %s", (platform) => {
  it("what no path can be is refused", () => {
    expect(refusedForm("a\0b", { platform })).toContain("a character that no path can have")
    expect(refusedForm("x".repeat(LONGEST_PATH + 1), { platform })).toContain("too long")
    expect(refusedForm("x".repeat(LONGEST_PATH), { platform })).toBeUndefined()
  })

  it("a folder holds itself and what is below it, and nothing that only begins alike", () => {
    expect(isBeneath("/project", "/project", platform)).toBe(true)
    expect(isBeneath("/project", "/project/a", platform)).toBe(true)
    expect(isBeneath("/", "/project", platform)).toBe(true)
    expect(isBeneath("/project", "/project-beside/a", platform)).toBe(false)
    expect(isBeneath("/project", "/Work/a", platform)).toBe(false)
    expect(isBeneath("", "/project", platform)).toBe(false)
  })
})

it("the other slash parts names on Windows only", () => {
  expect(isBeneath("C:\\work", "C:/work\\a", "win32")).toBe(true)
  expect(isBeneath("/project", "/project\\a", "linux")).toBe(false)
})

it.each(["CON", "a:b", "C:x", "\\\\server\\share", "a.", "a ", "a?"])("elsewhere %j is a name like any other", (path) => {
  expect(refusedForm(path, { platform: "linux" })).toBeUndefined()
  expect(refusedForm(path, { platform: "darwin" })).toBeUndefined()
})

describe("folding", () => {
  it.each([
    [".GIT/Config", ".git/config"],
    [".git /config", ".git/config"],
    [".git.", ".git"],
    [".git. . .", ".git"],
    [".git::$INDEX_ALLOCATION/config", ".git/config"],
    [".g\u200cit", ".git"],
    ["\u2060.git\ufeff", ".git"],
    [".g\u00adit", ".git"],
    ["GIT~1/hooks", ".git/hooks"],
    ["gi7eba~2", ".git"],
    [".\uff27\uff29\uff34", ".git"],
    ["\u2024git", ".git"],
    ["\u212aey", "key"],
    ["ma\u017fter", "master"],
    ["e\u0301.txt", "\u00e9.txt"],
    ["\u00c9.txt", "\u00e9.txt"],
    ["STRASSE", "stra\u00dfe"],
    ["src\\A.ts", "src/a.ts"],
    ["C:\\Code\\A.ts", "c:/code/a.ts"],
    ["\u0130x", "i\u0307x"],
  ])("%j and %j are the same to some disk", (one, other) => expect(foldPath(one)).toBe(foldPath(other)))

  it.each([
    [".git", ".gitx"],
    ["a/b", "ab"],
    ["..", "."],
    ["../a", "a"],
    ["a.b", "ab"],
    ["git~x", ".git"],
    ["a b", "ab"],
  ])("%j and %j are not", (one, other) => expect(foldPath(one)).not.toBe(foldPath(other)))

  it("is done once and for all", () => {
    for (const path of [".GIT /x", "a:b:c", "..", "./../x", "C:\\x", "a. .", "\u0130", "ǅ", "ﬀ"]) {
      expect(foldPath(foldPath(path))).toBe(foldPath(path))
    }
  })

  it("a path of any length and shape comes to an end", () => {
    for (const piece of ["a.", "/.", " .", "a:", "\\", "aA-", "~1"])
      expect(foldPath(piece.repeat(200_000)).length).toBeLessThan(800_000)
  })
})
