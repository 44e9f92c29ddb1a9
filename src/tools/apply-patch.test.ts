import { chmod, stat, symlink } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { localHost } from "../host/local.ts"
import { type MemoryHost, memoryHost } from "../host/memory.ts"
import { temporaryFolder } from "../host/temporary-folder.ts"
import { ToolError } from "../types/tool.ts"
import { applyPatch } from "./apply-patch.ts"
import { callTool, planTool } from "./call-tool.ts"

const patchOf = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")

async function apply(files: Record<string, string>, ...lines: string[]) {
  const host = memoryHost(files)
  const { say, show } = await callTool(applyPatch, { patch: patchOf(...lines) }, host)
  return { host, say, show }
}

async function update(text: string, ...lines: string[]) {
  const { host, say } = await apply({ "a.ts": text }, "*** Update File: a.ts", ...lines)
  return { text: host.text("a.ts"), say }
}

async function failure(host: MemoryHost, patch: string): Promise<string> {
  const before = host.text("a.ts")
  const error = await callTool(applyPatch, { patch }, host).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ToolError)
  expect(host.text("a.ts")).toBe(before)
  return error instanceof ToolError ? error.message : ""
}

describe("apply_patch", () => {
  it("S31: adds, changes, moves and deletes files together", async () => {
    const { host, say, show } = await apply(
      { "a.ts": "one\ntwo\n", "b.ts": "b1\nb2\n", "c.ts": "c\n" },
      "*** Add File: new/d.ts",
      "+first",
      "+",
      "+last",
      "*** Update File: a.ts",
      "@@",
      " one",
      "-two",
      "+2",
      "*** Update File: b.ts",
      "*** Move to: lib/b.ts",
      "@@",
      "-b2",
      "+B2",
      "*** Delete File: c.ts",
    )
    expect(host.text("new/d.ts")).toBe("first\n\nlast\n")
    expect(host.text("a.ts")).toBe("one\n2\n")
    expect([host.text("b.ts"), host.text("lib/b.ts")]).toEqual([undefined, "b1\nB2\n"])
    expect(host.text("c.ts")).toBeUndefined()
    expect(say).toBe(
      [
        "Patched 4 files.",
        "Created new/d.ts (3 lines).",
        "Modified a.ts (+1 -1 lines).",
        "Hunk 1: applied at line 1, now lines 1-2",
        "Moved b.ts to lib/b.ts (+1 -1 lines).",
        "Hunk 1: applied at line 2",
        "Deleted c.ts.",
      ].join("\n"),
    )
    expect(show).toMatchObject({
      kind: "changes",
      files: [
        { path: "new/d.ts", operation: "create", added: 3, removed: 0 },
        { path: "a.ts", operation: "modify", added: 1, removed: 1 },
        { path: "b.ts", operation: "move", to: "lib/b.ts", added: 1, removed: 1 },
        { path: "c.ts", operation: "delete", added: 0, removed: 1 },
      ],
    })
  })

  it("shows one changed file as a diff, and plans without writing", async () => {
    const host = memoryHost({ "a.ts": "a\n" })
    const patch = patchOf("*** Update File: a.ts", "-a", "+b")
    expect(await planTool(applyPatch, { patch }, host)).toMatchObject({ kind: "diff", path: "a.ts", operation: "modify" })
    expect(host.text("a.ts")).toBe("a\n")
  })

  it("applies several hunks from top to bottom, in a file without a final line end or with CRLF", async () => {
    expect((await update("1\n2\n3\n4\n5", "@@", "-1", "+one", "@@", " 4", "-5", "+five", "+six")).text).toBe(
      "one\n2\n3\n4\nfive\nsix",
    )
    expect((await update("a\r\nb\r\nc\r\n", " a", "-b", "+B", "+BB")).text).toBe("a\r\nB\r\nBB\r\nc\r\n")
    expect((await update("a\n\nb\n", " a", "", "-b", "+c")).text).toBe("a\n\nc\n")
    expect((await update("a\nb\n", "-a", "-b")).text).toBe("")
  })

  it("finds lines by the line above them, also by several and by a part of one", async () => {
    const file = "class A\n  run\n    x\nclass B\n  run\n    x\n"
    const changed = "class A\n  run\n    x\nclass B\n  run\n    y\n"
    expect((await update(file, "@@ class B", "-    x", "+    y")).text).toBe(changed)
    expect((await update(file, "@@ class B", "@@   run", "-    x", "+    y")).text).toBe(changed)
    expect((await update(file, "@@ class B", "   run", "-    x", "+    y")).text).toBe(changed)
    expect((await update(file, "@@ class B @@", "-    x", "+    y")).text).toBe(changed)
    const python = "def one(self):\n  pass\ndef two(self):\n  pass\n"
    expect((await update(python, "@@ def two", "-  pass", "+  return 2")).text).toBe(python.replace(/pass\n$/, "return 2\n"))
  })

  it("takes the place a number or the end of the file tells", async () => {
    expect((await update("x\n1\n2\n3\nx\n", "@@ -5,1 +5,1 @@", "-x", "+y")).text).toBe("x\n1\n2\n3\ny\n")
    expect((await update("x\n1\nx\n", "@@", "-x", "+y", "*** End of File")).text).toBe("x\n1\ny\n")
  })

  it("inserts below a line, or at the end, when nothing is to be found", async () => {
    expect((await update("a\nb\n", "@@ a", "+between")).text).toBe("a\nbetween\nb\n")
    expect((await update("a\nb", "@@", "+end")).text).toBe("a\nb\nend")
    expect((await update("", "+first")).text).toBe("first\n")
  })

  it("takes equal places in turn when as many hunks name them, and else does not choose", async () => {
    expect((await update("x\na\nx\n", "@@", "-x", "+1", "@@", "-x", "+2")).text).toBe("1\na\n2\n")
    const said = await failure(memoryHost({ "a.ts": "x\na\nx\n" }), patchOf("*** Update File: a.ts", "-x", "+1"))
    expect(said).toContain("Hunk 1: its old part fits 2 places, at lines 1, 3. Add context lines")
    const nested = "def run\n  x\ndef run\n  x\n"
    expect(
      await failure(memoryHost({ "a.ts": nested }), patchOf("*** Update File: a.ts", "@@ def run", "-  x", "+  y")),
    ).toContain("2 places")
  })

  it("overlooks white space and typographic characters, and says what stands there now", async () => {
    const { text, say } = await update("f() {\n\tsay(“hi”)\n}\n", " f() {", '-  say("hi")', "+  say(1)", "+  more()", " }")
    expect(text).toBe("f() {\n\tsay(1)\n\tmore()\n}\n")
    expect(say).toContain("ignoring white space and typographic characters. There stands now:\n1 | f() {\n2 | \tsay(1)")
  })

  it("writes nothing at all when one hunk of one file fails, and tells of every failure", async () => {
    const host = memoryHost({ "a.ts": "one\n", "b.ts": "function two() {\n  return 2\n}\n" })
    const patch = patchOf(
      ...["*** Update File: a.ts", "-one", "+1", "*** Update File: b.ts", " function two() {", "-  return 22", "+  return 3"],
      ...["*** Add File: b.ts", "+x", "*** Delete File: nowhere.ts", "*** Update File: c.ts", "-x", "+y"],
    )
    const said = await failure(host, patch)
    expect(said).toContain(
      "The patch was not applied, no file was changed.\nb.ts:\nHunk 1: its old part is not in the file. Nearest are lines 1-2",
    )
    expect(said).toContain("+2 |   return 2")
    expect(said).toContain("b.ts exists already")
    expect(said).toContain("nowhere.ts does not exist.")
    expect(said).toContain("c.ts does not exist.")
  })

  it("sees what it has made itself: the same file twice, deleted and added, moved and changed", async () => {
    const { host } = await apply(
      { "a.ts": "1\n2\n", "b.ts": "old\n", "c.ts": "c\n" },
      ...["*** Update File: a.ts", "-1", "+one", "*** Update File: ./a.ts", " one", "-2", "+two"],
      ...["*** Delete File: b.ts", "*** Add File: b.ts", "+new"],
      ...["*** Update File: c.ts", "*** Move to: d.ts", "*** Update File: d.ts", "-c", "+d"],
    )
    expect([host.text("a.ts"), host.text("b.ts"), host.text("c.ts"), host.text("d.ts")]).toEqual([
      "one\ntwo\n",
      "new\n",
      undefined,
      "d\n",
    ])
  })

  it("does not move onto a file, nor change what is no text", async () => {
    const host = memoryHost({ "a.ts": "a\n", "b.ts": "b\n" })
    await host.writeFile("x.bin", new Uint8Array([0, 255, 254]))
    expect(await failure(host, patchOf("*** Update File: a.ts", "*** Move to: b.ts", "-a", "+c"))).toContain(
      "b.ts exists already",
    )
    expect(await failure(host, patchOf("*** Update File: x.bin", "-a", "+c"))).toContain("x.bin is not text")
    await callTool(applyPatch, { patch: patchOf("*** Update File: x.bin", "*** Move to: y.bin") }, host)
    expect([...(await host.readFile("y.bin"))]).toEqual([0, 255, 254])
    await callTool(applyPatch, { patch: patchOf("*** Delete File: y.bin") }, host)
    expect(await host.stat("y.bin")).toBeUndefined()
  })

  it("keeps mode bits, of a moved file too, and sees two names of one file", async () => {
    const folder = await temporaryFolder({ "run.sh": "echo 1\n" })
    await chmod(join(folder, "run.sh"), 0o755)
    await symlink("run.sh", join(folder, "link.sh"))
    const host = localHost(folder)
    const lines = ["*** Update File: run.sh", "-echo 1", "+echo 2", "*** Update File: link.sh", "-echo 2", "+echo 3"]
    await callTool(applyPatch, { patch: patchOf(...lines) }, host)
    await callTool(
      applyPatch,
      { patch: patchOf("*** Update File: run.sh", "*** Move to: bin/run.sh", "-echo 3", "+echo 4") },
      host,
    )
    expect(Buffer.from(await host.readFile("bin/run.sh")).toString()).toBe("echo 4\n")
    expect((await stat(join(folder, "bin/run.sh"))).mode & 0o777).toBe(0o755)
  })

  it("says so when nothing would change", async () => {
    const { say } = await apply({ "a.ts": "“a”\n" }, "*** Update File: a.ts", '-"a"', "+“a”")
    expect(say).toBe("Nothing to change: the files already read like this.")
  })

  it("touches every path, targets of moves included, also of a patch that cannot be read", () => {
    const touched = (patch: string) => applyPatch.touches?.({ patch })
    const lines = [
      "*** Update File: a",
      "*** Move to: ../b",
      "-x",
      "*** Delete File: c",
      "*** Add File: d e",
      "+*** Delete File: no",
    ]
    expect(touched(patchOf(...lines))).toEqual(["a", "../b", "c", "d e"])
    expect(touched(lines.join("\n"))).toEqual(["a", "../b", "c", "d e"])
    expect(touched("")).toEqual([])
  })

  it("S57: previews any draft with path and size", () => {
    const preview = (patch?: string) => applyPatch.preview?.(patch === undefined ? {} : { patch })
    expect(preview()).toEqual({ kind: "title", text: "Patch …" })
    expect(preview("*** Begin Patch\n*** Update File: src/a.t")).toMatchObject({ text: "Patch … (40 characters)" })
    expect(preview("*** Begin Patch\n*** Update File: src/a.ts\n@@")).toMatchObject({ text: "Patch src/a.ts (44 characters)" })
  })
})
