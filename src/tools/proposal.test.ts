import { describe, expect, it } from "vitest"
import { memoryHost } from "../host/memory.ts"
import type { JsonObject } from "../types/json.ts"
import type { KnownFiles, Tool, ToolContext } from "../types/tool.ts"
import { applyDiff } from "./apply-diff.ts"
import { applyPatch } from "./apply-patch.ts"
import { searchAndReplace } from "./search-and-replace.ts"
import { writeToFile } from "./write-to-file.ts"

/** Remembers texts by path. */
function knownFiles(
  known: Record<string, string> = {},
  { keepsTexts = true } = {},
): KnownFiles & { known: Record<string, string> } {
  return {
    known,
    learn(path, content) {
      known[path] = Buffer.from(content).toString()
    },
    outdated(path, content) {
      const before = known[path]
      if (before === undefined || before === Buffer.from(content).toString()) return undefined
      return keepsTexts ? { before } : {}
    },
  }
}

function prepare(tool: Tool, args: JsonObject, host: ReturnType<typeof memoryHost>, files: KnownFiles) {
  const checked = tool.input.check(args)
  if (!checked.ok) throw new Error(checked.problems.join("\n"))
  const context: ToolContext = { host, files, signal: new AbortController().signal, progress() {}, callKey: "1" }
  return { plan: () => tool.plan?.(checked.value, context), run: () => tool.run(checked.value, context) }
}

const EDITS: [string, Tool, JsonObject][] = [
  ["write_to_file", writeToFile, { path: "a.ts", content: "one\nTWO\nthree\n" }],
  ["apply_diff", applyDiff, { path: "a.ts", diff: "<<<<<<< SEARCH\ntwo\n=======\nTWO\n>>>>>>> REPLACE" }],
  ["search_and_replace", searchAndReplace, { file_path: "a.ts", old_string: "two", new_string: "TWO" }],
  ["apply_patch", applyPatch, { patch: "*** Begin Patch\n*** Update File: a.ts\n-two\n+TWO\n*** End Patch" }],
]

describe.each(EDITS)("%s on a file that somebody else changes", (_, tool, args) => {
  it("refuses with the difference, and takes it then", async () => {
    const host = memoryHost({ "a.ts": "one\ntwo\nthree!\n" })
    const files = knownFiles({ "a.ts": "one\ntwo\nthree\n" })
    const { plan, run } = prepare(tool, args, host, files)
    const refusal = await Promise.resolve(plan()).catch((error: Error) => error.message)
    expect(refusal).toBe(
      `a.ts has changed since you last saw it; nothing was written. This is what is different now:
--- a/a.ts
+++ b/a.ts
@@ -1,3 +1,3 @@
 one
 two
-three
+three!
Make sure that your change still fits, then repeat it.`,
    )
    expect(host.text("a.ts")).toBe("one\ntwo\nthree!\n")
    await run()
    expect(host.text("a.ts")).toContain("one\nTWO\nthree")
  })

  it("refuses at the last moment too, and lets it be read again when the difference cannot be shown", async () => {
    const host = memoryHost({ "a.ts": "one\ntwo\nthree\n" })
    const files = knownFiles({ "a.ts": "one\ntwo\nthree\n" }, { keepsTexts: false })
    const { plan, run } = prepare(tool, args, host, files)
    await plan()
    await host.writeFile("a.ts", "two\n")
    await expect(run()).rejects.toThrow("a.ts has changed since you last saw it; nothing was written. Read it again")
    await expect(run()).rejects.toThrow("Read it again")
    expect(host.text("a.ts")).toBe("two\n")
  })

  it("does not learn from a difference that is too long to be shown", async () => {
    const host = memoryHost({ "a.ts": "two\n" })
    const files = knownFiles({ "a.ts": "old line\n".repeat(3000) })
    const { run } = prepare(tool, args, host, files)
    for (let time = 0; time < 2; time++) {
      const said = await run().catch((error: Error) => error.message)
      expect(said).toContain("Read it again, then repeat your change.")
      expect(String(said).length).toBeLessThan(6000)
    }
  })

  it("refuses what the person did not agree to: the file changed after it was shown", async () => {
    const host = memoryHost({ "a.ts": "one\ntwo\nthree\n" })
    const { plan, run } = prepare(tool, args, host, knownFiles())
    await plan()
    await host.writeFile("a.ts", "zero\none\ntwo\nthree\n")
    await expect(run()).rejects.toThrow("a.ts was changed by somebody after the person had agreed to this call")
    expect(host.text("a.ts")).toBe("zero\none\ntwo\nthree\n")
  })

  it("works on a file the model never saw, and knows it from then on", async () => {
    const host = memoryHost({ "a.ts": "one\ntwo\nthree\n" })
    const files = knownFiles()
    const { plan, run } = prepare(tool, args, host, files)
    await plan()
    await run()
    expect(files.known).toEqual({ "a.ts": "one\nTWO\nthree\n" })
  })
})

describe("a change of several files", () => {
  it("does not touch one when another was changed by somebody else, or a new one has come up", async () => {
    const host = memoryHost({ "a.ts": "a\n", "b.ts": "b!\n" })
    const patch =
      "*** Begin Patch\n*** Update File: a.ts\n-a\n+A\n*** Update File: b.ts\n+more\n*** Add File: c.ts\n+c\n*** End Patch"
    const stale = prepare(applyPatch, { patch }, host, knownFiles({ "b.ts": "b\n" }, { keepsTexts: false }))
    await expect(stale.run()).rejects.toThrow("b.ts has changed since you last saw it")
    const { plan, run } = prepare(applyPatch, { patch }, host, knownFiles())
    await plan()
    await host.writeFile("c.ts", "somebody's\n")
    await expect(run()).rejects.toThrow("c.ts was changed by somebody after")
    expect([host.text("a.ts"), host.text("c.ts")]).toEqual(["a\n", "somebody's\n"])
  })

  it("stops before anything is written when it is cancelled", async () => {
    const host = memoryHost({ "a.ts": "a\n" })
    const controller = new AbortController()
    const context: ToolContext = { host, signal: controller.signal, progress() {}, callKey: "1" }
    controller.abort()
    await expect(writeToFile.run({ path: "a.ts", content: "b" }, context)).rejects.toMatchObject({ name: "AbortError" })
    expect(host.text("a.ts")).toBe("a\n")
  })
})
