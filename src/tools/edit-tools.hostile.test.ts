/** Wrong, missing, extreme and hostile arguments for each tool that edits: an error that says what to do, nothing written, no hang. */
import { execFileSync } from "node:child_process"
import { lstat, readdir, readFile, symlink } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { guardedHost } from "../host/guarded.ts"
import { localHost } from "../host/local.ts"
import { temporaryFolder } from "../host/temporary-folder.ts"
import { HostError } from "../types/host.ts"
import type { Json, JsonObject } from "../types/json.ts"
import { type Tool, ToolError } from "../types/tool.ts"
import { applyDiff } from "./apply-diff.ts"
import { applyPatch } from "./apply-patch.ts"
import { editFile } from "./edit-file.ts"
import { searchAndReplace } from "./search-and-replace.ts"
import { searchReplace } from "./search-replace.ts"
import { writeToFile } from "./write-to-file.ts"

/** How each tool changes "old" to "new" in the file at a path. */
const TOOLS: [string, Tool, (path: string) => JsonObject][] = [
  ["write_to_file", writeToFile, (path) => ({ path, content: "new\n" })],
  ["apply_diff", applyDiff, (path) => ({ path, diff: "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE" })],
  ["apply_patch", applyPatch, (path) => ({ patch: `*** Begin Patch\n*** Update File: ${path}\n-old\n+new\n*** End Patch` })],
  ["search_and_replace", searchAndReplace, (path) => ({ file_path: path, old_string: "old", new_string: "new" })],
  ["search_replace", searchReplace, (path) => ({ file_path: path, old_string: "old", new_string: "new" })],
  ["edit_file", editFile, (path) => ({ file_path: path, old_string: "old", new_string: "new" })],
]

const WRONG: Json[] = [null, true, 7, [], {}, ["a"], { path: "a" }]
const LONG = "x".repeat(10_000_000)
/** Megabytes that look like something. */
const TEXTS = [LONG, "\n".repeat(1_000_000), "<<<<<<< SEARCH\n".repeat(100_000), "*** Update File: a\n".repeat(100_000)]

async function scene() {
  const base = await temporaryFolder({ "work/a.txt": "old\n", "out/secret.txt": "old\n" })
  const work = join(base, "work")
  await symlink(join(base, "out/secret.txt"), join(work, "leak.txt"))
  await symlink(join(base, "out"), join(work, "leak"))
  await symlink("loop", join(work, "loop"))
  execFileSync("mkfifo", [join(work, "pipe")])
  return { base, work, host: guardedHost(localHost(work), { roots: [work] }) }
}

/** The words of the error, which is one of the two that the loop expects. */
async function refusal(tool: Tool, args: JsonObject, host: Awaited<ReturnType<typeof scene>>["host"]): Promise<string> {
  const checked = tool.input.check(args)
  if (!checked.ok) return checked.problems.join("\n")
  const context = { host, signal: new AbortController().signal, progress() {}, callKey: "1" }
  await tool.plan?.(checked.value, context).catch(expected)
  return tool.run(checked.value, context).then(() => Promise.reject(new Error("was accepted")), expected)
}

function expected(error: unknown): string {
  if (error instanceof ToolError || error instanceof HostError) return error.message
  throw error
}

describe.each(TOOLS)("%s, given what it should not be given", (_, tool, args) => {
  it("refuses paths that lead out, are no files, or cannot be", async () => {
    const { base, work, host } = await scene()
    const before = (await readdir(work)).sort()
    const paths = [
      "..",
      "../out/secret.txt",
      join(base, "out/secret.txt"),
      "/etc/hostname",
      "leak.txt",
      "leak/secret.txt",
      "loop",
      "loop/x",
    ]
    const odd = [
      ".",
      "a.txt/below",
      "a.txt/",
      "pipe",
      "/dev/null",
      "/dev/zero",
      "a\0.txt",
      "a/".repeat(100_000),
      `${"n".repeat(300)}.txt`,
      "/proc/self/mem",
    ]
    for (const path of [...paths, ...odd]) {
      const said = await refusal(tool, args(path), host)
      expect(said, path).not.toBe("")
      expect(said.split("\n").length, said).toBeLessThan(20)
      expect(said, path).not.toContain("secret\n")
    }
    expect((await readdir(work)).sort()).toEqual(before)
    expect(await readFile(join(base, "out/secret.txt"), "utf8")).toBe("old\n")
    expect(await readFile(join(work, "a.txt"), "utf8")).toBe("old\n")
    expect((await lstat(join(work, "leak.txt"))).isSymbolicLink()).toBe(true)
  })

  it("S16: refuses missing, null and wrong values, by name", async () => {
    const { host } = await scene()
    const right = args("a.txt")
    for (const name of Object.keys(right)) {
      const { [name]: _missing, ...rest } = right
      expect(await refusal(tool, rest, host), name).toContain(`\`${name}\``)
      for (const value of WRONG) {
        if (value === null && tool === editFile && name !== "file_path") continue // stands for an empty text
        expect(await refusal(tool, { ...right, [name]: value }, host), `${name} ${JSON.stringify(value)}`).toContain(
          `\`${name}\``,
        )
      }
    }
    expect(tool.input.check(null).ok || tool.input.check([]).ok || tool.input.check("x").ok).toBe(false)
  })

  it("takes values of ten million characters without hanging", async () => {
    const { host } = await scene()
    const right = args("a.txt")
    for (const name of Object.keys(right)) {
      if (name === "content" || name === "new_string") continue
      for (const value of TEXTS) {
        const said = await refusal(tool, { ...right, [name]: value }, host)
        expect(said, name).not.toBe("")
        expect(said.length).toBeLessThan(30_000)
      }
    }
  })

  it("previews and touches without failing, whatever is there", () => {
    for (const value of [undefined, ...WRONG, "", LONG]) {
      const draft = Object.fromEntries(Object.keys(args("a")).map((name) => [name, value]))
      expect(tool.preview?.(draft)).toMatchObject({ kind: "title" })
    }
    expect(tool.touches?.(args("../x"))).toEqual(["../x"])
  })
})
