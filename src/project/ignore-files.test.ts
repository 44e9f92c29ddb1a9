/** Files the person keeps from the model. */
import { describe, expect, it } from "vitest"
import { loadIgnores } from "./ignore-files.ts"
import { type Files, testFolder } from "./test-folder.ts"

async function ignoresOf(work: Files) {
  const { workspace } = await testFolder({ work })
  return loadIgnores(workspace)
}

describe("ignore files", () => {
  it("absent or empty, they ignore nothing", async () => {
    for (const work of [{}, { ".rooignore": "" }, { ".joeyignore": "\n \n" }] as Files[]) {
      const { isIgnored, text, findings } = await ignoresOf(work)
      expect([isIgnored("a.ts"), isIgnored(".rooignore"), text, findings]).toEqual([false, false, "", []])
    }
  })

  it("patterns mean what they mean to git, both files count, and they keep themselves hidden", async () => {
    const { isIgnored, text, findings } = await ignoresOf({
      ".rooignore": "\uFEFF# keys\r\n*.pem\r\n/secrets/\r\nlogs/**\r\n!logs/public.txt\r\n",
      ".joeyignore": "*.key\n!.rooignore\n",
    })
    const paths = ["a.pem", "deep/down/b.pem", "secrets/x", "secrets/", "secrets", "logs/a", "c.key", ".rooignore", ".joeyignore"]
    expect(paths.filter((path) => !isIgnored(path))).toEqual([])
    expect(["a.ts", "sub/secrets/x", "logs/public.txt", "pem", "sub/.rooignore"].filter(isIgnored)).toEqual([])
    expect(text).toBe("# keys\n*.pem\n/secrets/\nlogs/**\n!logs/public.txt\n*.key\n!.rooignore")
    expect(findings).toEqual([])
  })

  it("detours, backslashes and letter case do not get around them; outside is not theirs to judge", async () => {
    const { isIgnored } = await ignoresOf({ ".rooignore": "secret.txt\nprivate/" })
    expect(["./secret.txt", "SECRET.TXT", "private\\a", "a/b/secret.txt", "private/a/../b"].map(isIgnored)).toEqual([
      true,
      true,
      true,
      true,
      true,
    ])
    expect(["", ".", "../secret.txt", "/etc/secret.txt", "C:/secret.txt"].map(isIgnored)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ])
  })

  it("everything but some: folders are told by their final slash", async () => {
    const { isIgnored } = await ignoresOf({ ".joeyignore": "/*\n!/src/\n" })
    expect(["src/", "src/a.ts", "other/a.ts", "b.ts"].map(isIgnored)).toEqual([false, false, true, true])
  })

  it("where a pattern means folders only, what is there decides; what is not there yet counts as ignored", async () => {
    const { isIgnored } = await ignoresOf({ ".rooignore": "/*\n!/src/\nbuild/\n!/tool/\n", "src/a.ts": "", tool: "" })
    expect(["src", "src/", "src/a.ts", "src/build", "src/build/x", "tool"].map(isIgnored)).toEqual([
      false, // a folder that is let through can be listed
      false,
      false,
      true, // it may become a folder
      true,
      true, // a file of a folder's name
    ])
    const { isIgnored: outputs } = await ignoresOf({ ".rooignore": "out/\n", out: "a file", "deep/out/": "" })
    expect(["out", "deep/out", "other/out"].map(outputs)).toEqual([false, true, true])
  })

  it.each([
    ["not text", Buffer.from([0, 1, 2])],
    ["a link that leads nowhere", { to: "gone" }],
    ["a link to itself", { to: ".rooignore" }],
    ["huge", "x\n".repeat(600_000)],
    ["a link to a folder", { to: "." }],
  ] as [string, Files[string]][])("fails closed when one is %s, with one finding", async (_, content) => {
    const { isIgnored, findings } = await ignoresOf({ ".rooignore": content, ".joeyignore": "a" })
    expect(["a.ts", "b/c", "../d", "", "."].map(isIgnored)).toEqual([true, true, true, true, true])
    expect(findings).toEqual([{ file: ".rooignore", reason: expect.stringContaining("every file is ignored") }])
  })

  it("fails closed when a folder stands in its place", async () => {
    const { isIgnored, findings } = await ignoresOf({ ".joeyignore/a": "" })
    expect([isIgnored("a.ts"), isIgnored("")]).toEqual([true, true])
    expect(findings).toEqual([{ file: ".joeyignore", reason: "is no file; until it can be read, every file is ignored" }])
  })

  it("fails closed when a pattern cannot be used", async () => {
    const { isIgnored, findings } = await ignoresOf({ ".rooignore": "x".repeat(100_000) })
    expect(isIgnored("a.ts")).toBe(true)
    expect(findings).toHaveLength(1)
  })
})
