import { chmodSync, rmSync, symlinkSync, unlinkSync } from "node:fs"
import { join, relative } from "node:path"
import { describe, expect, it } from "vitest"
import { diffSince } from "./diff.ts"
import { listCheckpoints } from "./history.ts"
import { previewRestore } from "./plan.ts"
import { restore } from "./restore.ts"
import { type Scene, scene } from "./test-scene.ts"
import { checkpointWords, planLines, restoredLines } from "./words.ts"

const shownIn = (here: Scene) => (path: string) => relative(here.workspace, path)

describe("the difference to a checkpoint", () => {
  it("shows text as lines, and anything else in words", async () => {
    const here = scene({
      "a.txt": "one\ntwo\n",
      "run.sh": "#!\n",
      "b.bin": Buffer.from([0, 1, 2]),
      file: "f\n",
      "wide.txt": Buffer.from("\ufffea"),
    })
    await here.call("write", ["a.txt", "new.txt", "run.sh", "b.bin", "file"], () => {
      here.write("a.txt", "one\nTWO\n")
      here.write("new.txt", "new\n")
      chmodSync(here.at("run.sh"), 0o755)
      here.write("b.bin", Buffer.from([0, 1, 2, 3]))
      unlinkSync(here.at("file"))
      symlinkSync("elsewhere", here.at("file"))
    })
    const diffs = await diffSince(here.folder, { id: 1 }, shownIn(here))
    expect(
      diffs?.map(({ path, unified, notes }) => [shownIn(here)(path), unified.split("\n").slice(2).join("\n"), notes]),
    ).toEqual([
      ["a.txt", "@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n", []],
      ["b.bin", "", ["binary file, 3 bytes → 4 bytes"]],
      ["file", "@@ -1 +1 @@\n-f\n+elsewhere\n", ["a file → a link"]],
      ["new.txt", "@@ -0,0 +1 @@\n+new\n", []],
      ["run.sh", "", ["mode 644 → 755"]],
    ])
    expect(await diffSince(here.folder, { id: 7 }, shownIn(here))).toBeUndefined()
  })

  it("is against now, whoever made it so", async () => {
    const here = scene({ "a.txt": "one\n" })
    await here.edit("a.txt", "two\n")
    here.write("a.txt", "three\n")
    const [diff] = (await diffSince(here.folder, { id: 1 }, shownIn(here))) ?? []
    expect(diff).toMatchObject({ added: 1, removed: 1 })
    expect(diff?.unified).toContain("-one\n+three\n")
  })
})

describe("a difference to what is gone from the store", () => {
  it("is told, not left out", async () => {
    const here = scene({ "a.txt": "one\n" })
    await here.edit("a.txt", "two\n")
    rmSync(join(here.folder, "objects"), { recursive: true })
    const [diff] = (await diffSince(here.folder, { id: 1 }, shownIn(here))) ?? []
    expect(diff).toMatchObject({ unified: "", notes: ["what it held cannot be shown: it is not in the store any more"] })
  })
})

describe("in words", () => {
  it("a checkpoint names its files, a preview what it would do, a restore what it did", async () => {
    const here = scene({ "a.txt": "1", "b.txt": "1", "c.txt": "1", "d.txt": "1" })
    const shown = shownIn(here)
    const names = ["a.txt", "b.txt", "c.txt", "d.txt"]
    await here.call("write", [...names, "new.txt"], () => {
      for (const name of [...names, "new.txt"]) here.write(name, "2")
    })
    here.write("b.txt", "mine")
    here.write("c.txt", "1")
    const [checkpoint] = listCheckpoints(here.folder)
    expect(checkpoint && checkpointWords(checkpoint, shown)).toBe("a-tool: a.txt, b.txt, c.txt and 2 more")
    const plan = await previewRestore(here.folder, { id: 1 })
    expect(plan && planLines(plan, shown)).toEqual([
      "put back a.txt",
      "leave b.txt alone: it was changed since, not by the agent",
      "put back d.txt",
      "remove new.txt",
      "(1 file changed by the agent, as before by now)",
    ])
    const outcome = await restore(here.folder, { id: 1 })
    expect(outcome.ok && restoredLines(outcome, shown)).toEqual([
      "Put back a.txt.",
      "Put back d.txt.",
      "Removed new.txt.",
      "Left alone: b.txt: it was changed since, not by the agent.",
      "Going back to checkpoint 2 undoes this.",
    ])
    expect(
      listCheckpoints(here.folder)
        .map((one) => checkpointWords(one, shown))
        .at(-1),
    ).toBe("restore back to 1: a.txt, d.txt, new.txt")
  })

  it("names that would drive a terminal lose their power", async () => {
    const here = scene()
    await here.edit("evil\u001b[2J\nname", "x")
    const [checkpoint] = listCheckpoints(here.folder)
    const words = checkpoint ? checkpointWords(checkpoint, shownIn(here)) : ""
    expect(words).toBe("a-tool: evil ⏎ name")
  })
})
