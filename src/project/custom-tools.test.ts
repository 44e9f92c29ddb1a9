import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { loadToolFiles } from "./custom-tools.ts"
import { changedSince } from "./snapshot.ts"
import { type Files, testFolder, write } from "./test-folder.ts"

const tool = (name: string) => `export default { name: "${name}", description: "d", async execute() { return "${name}" } }\n`

async function folderWith(files: { work?: Files; home?: Files; root?: Files }) {
  const { workspace, home, root } = await testFolder({ ...files, work: { ".git/": "", ...files.work } })
  const places = { workspace, home, joeyHome: join(home, ".joey") }
  return { ...places, root, load: () => loadToolFiles(places) }
}

const problems = async (work: Files, root: Files = {}) => {
  const { files, findings } = await (await folderWith({ work, root })).load()
  return { files: files.map(({ name }) => name), findings }
}

describe("files of custom tools", () => {
  it("S39: are found in four folders, the person's before the project's, and say from whom they are", async () => {
    const { load } = await folderWith({
      work: {
        ".roo/tools/b.ts": tool("b"),
        ".roo/tools/A.js": tool("a"),
        ".joey/tools/c.mjs": tool("c"),
        ".roo/tools/sub/x.ts": tool("x"),
      },
      home: { ".joey/tools/e.cts": tool("e"), ".roo/tools/d.mts": tool("d") },
    })
    const { files, findings } = await load()
    expect(findings).toEqual([])
    expect(files.map(({ scope, name }) => `${scope} ${name}`)).toEqual([
      "global ~/.roo/tools/d.mts",
      "global ~/.joey/tools/e.cts",
      "project .roo/tools/A.js",
      "project .roo/tools/b.ts",
      "project .joey/tools/c.mjs",
    ])
  })

  it("S39: other files beside them are left alone", async () => {
    const notes = {
      "README.md": "x",
      "x.d.ts": "",
      "x.test.ts": "throw 1",
      "x.spec.js": "throw 1",
      ".env": "SECRET=1",
      "data.json": "{}",
    }
    const work = Object.fromEntries(Object.entries(notes).map(([name, text]) => [`.roo/tools/${name}`, text]))
    expect(await problems(work)).toEqual({ files: [], findings: [] })
  })

  it("S39: the imports that such files are written with need no package", async () => {
    const text = `import { parametersSchema as z, defineCustomTool, type CustomToolContext } from "@roo-code/types"
      import { z as other } from "zod"
      import * as joey from "joey"
      export default defineCustomTool({ name: "t", description: "d", parameters: z.object({ a: other.string() }), async execute(_: unknown, c: CustomToolContext) { return joey } })`
    const { files, findings } = await problems({ ".roo/tools/t.ts": text })
    expect({ files, findings }).toEqual({ files: [".roo/tools/t.ts"], findings: [] })
  })

  it("S39: one that cannot be used is a finding with its line, and the others live", async () => {
    const { files, findings } = await problems({
      ".roo/tools/bad.ts": `const a = 1\nexport default {{`,
      ".roo/tools/good.ts": tool("good"),
    })
    expect(files).toEqual([".roo/tools/good.ts"])
    expect(findings).toEqual([
      { file: ".roo/tools/bad.ts", line: 2, reason: expect.stringMatching(/^This custom tool is left out: Expected/) },
    ])
  })

  it.each([
    ["a file that is not there", `import "./gone.ts"`, "Could not resolve"],
    ["a package that is not there", `import "left-pad-of-nobody"`, "Could not resolve"],
    ["a file outside the project", `import x from "../../../secret.json"\nexport default x`, "lies outside the project"],
    ["a device", `import "/dev/zero"`, "lies outside the project"],
    ["a file that is too large", `import "./large.js"`, "at most 2048 KB"],
    ["a program", `import "./native.node"`, "No loader"],
  ])("S39: is left out when it imports %s", async (_, text, words) => {
    const { findings } = await problems(
      { ".roo/tools/t.ts": text, ".roo/tools/sub/x": "", ".roo/tools/large.js": "x".repeat(3e6), ".roo/tools/native.node": "x" },
      { "secret.json": `{ "key": 1 }` },
    )
    expect(findings.find(({ file }) => file.endsWith("t.ts"))?.reason).toContain(words)
  })

  it("S39: a link out of the project is not followed, a link of the person's own is", async () => {
    const { load } = await folderWith({
      root: { "elsewhere/x.ts": tool("x") },
      work: { ".roo/tools/x.ts": { to: "../../../elsewhere/x.ts" } },
      home: { ".joey/tools/x.ts": { to: "../../../elsewhere/x.ts" } },
    })
    const { files, findings } = await load()
    expect(files.map(({ scope }) => scope)).toEqual(["global"])
    expect(findings[0]?.reason).toContain("lies outside the project")
  })

  it("S39: the digest is another when anything that goes into the program is, and the same when nothing is", async () => {
    const { workspace, load } = await folderWith({
      work: {
        ".roo/tools/t.ts": `import { help } from "./lib/help.ts"\nexport default { name: help }`,
        ".roo/tools/lib/help.ts": `export const help = "a"`,
      },
    })
    const first = await load()
    const [file] = first.files
    expect(file?.what.join("\n")).toMatch(/^program: .* sha256 [0-9a-f]{16}\nimports: \.roo\/tools\/lib\/help\.ts$/)
    expect(changedSince(first.seen)).toEqual([])
    await write(workspace, { ".roo/tools/lib/help.ts": `export const help = "bc"` })
    expect(changedSince(first.seen)).toEqual([join(workspace, ".roo/tools/lib/help.ts")])
    const second = (await load()).files[0]
    expect(second?.program).toContain(`"bc"`)
    expect(second?.digest).not.toBe(file?.digest)
    await write(workspace, { ".roo/tools/lib/help.ts": `export const help = "a"` })
    expect((await load()).files[0]?.digest).toBe(file?.digest)
  })

  it("keeps what it made for the next start, for its owner only, and never believes a kept thing that does not fit", async () => {
    const { workspace, joeyHome, load } = await folderWith({ work: { ".roo/tools/t.ts": tool("one") } })
    const [made] = (await load()).files
    made?.keepDescribed([{ name: "one" }])
    const folder = join(joeyHome, "cache/tools")
    const kept = join(folder, (await readdir(folder))[0] ?? "")
    expect((await stat(kept)).mode & 0o777).toBe(0o600)
    expect((await load()).files[0]).toMatchObject({ digest: made?.digest, described: [{ name: "one" }] })

    await write(workspace, { ".roo/tools/t.ts": tool("two") })
    expect((await load()).files[0]?.program).toContain("two")
    expect((await load()).files[0]).not.toHaveProperty("described")
    await writeFile(kept, "{ torn")
    expect((await load()).files[0]?.program).toContain("two")
    const forged = (await readFile(kept, "utf8")).replaceAll("two", "evil")
    await writeFile(kept, forged)
    await chmod(kept, 0o666)
    expect((await load()).files[0]?.program).not.toContain("evil")
  })

  it("does nothing where nobody has such a folder", async () => {
    const { load, joeyHome } = await folderWith({})
    expect(await load()).toMatchObject({ files: [], findings: [] })
    await expect(stat(join(joeyHome, "cache"))).rejects.toThrow("ENOENT")
  })

  it("stops at sixty-four", async () => {
    const work = Object.fromEntries(
      Array.from({ length: 66 }, (_, n) => [`.roo/tools/t${String(n).padStart(2, "0")}.js`, `export default ${n}`]),
    )
    const { files, findings } = await problems(work)
    expect(files).toHaveLength(64)
    expect(findings).toEqual([{ file: ".roo/tools/t64.js", reason: expect.stringContaining("more than 64") }])
  })
})
