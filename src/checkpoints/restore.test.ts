import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { listCheckpoints } from "./history.ts"
import { previewRestore } from "./plan.ts"
import { type Restored, restore } from "./restore.ts"
import { type Scene, scene } from "./test-scene.ts"

async function back(here: Scene, id: number, options: { paths?: string[]; force?: boolean } = {}): Promise<Restored> {
  const outcome = await restore(here.folder, { id, ...options })
  if (!outcome.ok) throw new Error(outcome.problem)
  return outcome
}

describe("a restore", () => {
  it("S29: brings edited, created and deleted files back to how they were before the call", async () => {
    const here = scene({ "edited.txt": "one\n", "deleted.txt": "two\n", "mine.txt": "three\n" })
    await here.call("write", ["edited.txt", "deleted.txt", "new/deep/made.txt"], () => {
      here.write("edited.txt", "ONE\n")
      unlinkSync(here.at("deleted.txt"))
      here.write("new/deep/made.txt", "made\n")
    })
    const [checkpoint] = listCheckpoints(here.folder)
    expect(checkpoint).toMatchObject({ id: 1, tool: "a-tool", task: "task-1", turn: 1, seq: 10, interrupted: false })
    const plan = await previewRestore(here.folder, { id: 1 })
    expect(plan?.files.map(({ path, does }) => [path, does])).toEqual([
      [here.at("deleted.txt"), "create"],
      [here.at("edited.txt"), "write"],
      [here.at("new/deep/made.txt"), "remove"],
    ])
    expect(here.read("edited.txt")).toBe("ONE\n")
    await back(here, 1)
    expect(here.read("edited.txt")).toBe("one\n")
    expect(here.read("deleted.txt")).toBe("two\n")
    expect(readdirSync(here.workspace).sort()).toEqual(["deleted.txt", "edited.txt", "mine.txt"])
  })

  it("is undone by going back to its own checkpoint, and that again", async () => {
    const here = scene({ "a.txt": "one" })
    await here.edit("a.txt", "two")
    await here.edit("b.txt", "made")
    const first = await back(here, 1)
    expect([here.found("a.txt"), here.found("b.txt")]).toEqual(["one", undefined])
    expect(first.undo).toBe(3)
    const second = await back(here, 3)
    expect([here.found("a.txt"), here.found("b.txt")]).toEqual(["two", "made"])
    await back(here, second.undo ?? 0)
    expect([here.found("a.txt"), here.found("b.txt")]).toEqual(["one", undefined])
  })

  it("goes back to any moment, also over an earlier restore", async () => {
    const here = scene({ "a.txt": "1" })
    for (const text of ["2", "3", "4"]) await here.edit("a.txt", text)
    await back(here, 1)
    await back(here, 3)
    expect(here.read("a.txt")).toBe("3")
  })

  it("touches one file only when one is named, or a folder's", async () => {
    const here = scene({ "a.txt": "1", "src/b.txt": "1", "src/c.txt": "1" })
    await here.call("write", ["a.txt", "src/b.txt", "src/c.txt"], () => {
      for (const path of ["a.txt", "src/b.txt", "src/c.txt"]) here.write(path, "2")
    })
    await back(here, 1, { paths: [here.at("src/b.txt")] })
    expect([here.read("a.txt"), here.read("src/b.txt"), here.read("src/c.txt")]).toEqual(["2", "1", "2"])
    await back(here, 1, { paths: [here.at("src")] })
    expect([here.read("a.txt"), here.read("src/b.txt"), here.read("src/c.txt")]).toEqual(["2", "1", "1"])
  })

  it("never overwrites what the person wrote since, unless told to, and can take that back as well", async () => {
    const here = scene({ "a.txt": "one", "b.txt": "one" })
    await here.edit("a.txt", "two")
    await here.edit("b.txt", "two")
    here.write("a.txt", "mine")
    const careful = await back(here, 1)
    expect(careful.skipped).toMatchObject([{ path: here.at("a.txt"), conflict: "it was changed since, not by the agent" }])
    expect([here.read("a.txt"), here.read("b.txt")]).toEqual(["mine", "one"])
    const forced = await back(here, 1, { force: true })
    expect(here.read("a.txt")).toBe("one")
    await back(here, forced.undo ?? 0)
    expect(here.read("a.txt")).toBe("mine")
  })

  it("never overwrites what the person wrote between two calls", async () => {
    const here = scene({ "a.txt": "one" })
    await here.edit("a.txt", "two")
    here.write("a.txt", "two and mine")
    await here.edit("a.txt", "three and mine")
    const outcome = await back(here, 1)
    expect(outcome.skipped).toMatchObject([{ conflict: "somebody else changed it in between" }])
    expect((await back(here, 2)).restored).toHaveLength(1)
    expect(here.read("a.txt")).toBe("two and mine")
  })

  it("never deletes a file the agent did not make, nor one that the person made since", async () => {
    const here = scene({ "kept.txt": "kept" })
    await here.edit("made/a.txt", "agent's")
    here.write("made/mine.txt", "mine")
    await here.call("write", ["later.txt"], () => {})
    here.write("later.txt", "mine too")
    await back(here, 1, { force: true })
    expect(existsSync(here.at("made/a.txt"))).toBe(false)
    expect([here.read("made/mine.txt"), here.read("kept.txt"), here.read("later.txt")]).toEqual(["mine", "kept", "mine too"])
  })

  it("brings back mode bits, links themselves, bytes that are no text, and moves", async () => {
    const binary = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7919) % 256)
    const here = scene({ "run.sh": "#!/bin/sh\n", "picture.bin": binary, "old.txt": "moved", "secret.txt": "s" })
    chmodSync(here.at("run.sh"), 0o755)
    chmodSync(here.at("secret.txt"), 0o600)
    symlinkSync("old.txt", here.at("link"))
    const paths = ["run.sh", "picture.bin", "old.txt", "new.txt", "link", "secret.txt"]
    await here.call("write", paths, () => {
      chmodSync(here.at("run.sh"), 0o644)
      here.write("picture.bin", "text now")
      renameSync(here.at("old.txt"), here.at("new.txt"))
      unlinkSync(here.at("link"))
      symlinkSync("elsewhere", here.at("link"))
      unlinkSync(here.at("secret.txt"))
    })
    expect((await back(here, 1)).failed).toEqual([])
    expect(here.mode("run.sh")).toBe(0o755)
    expect(here.mode("secret.txt")).toBe(0o600)
    expect(here.read("picture.bin")).toBe(Buffer.from(binary).toString())
    expect([here.found("old.txt"), here.found("new.txt")]).toEqual(["moved", undefined])
    expect(readlinkSync(here.at("link"))).toBe("old.txt")
  })

  it("does not follow a link that somebody put in a folder's place", async () => {
    const here = scene({ "src/a.txt": "one" })
    await here.call("write", ["src/a.txt", "src/made.txt"], () => {
      here.write("src/a.txt", "two")
      here.write("src/made.txt", "made")
    })
    const outside = join(here.root, "outside")
    mkdirSync(outside)
    renameSync(here.at("src"), join(here.root, "aside"))
    here.write("x", "")
    for (const name of ["a.txt", "made.txt"]) symlinkSync(join(here.root, "aside", name), join(outside, name))
    rmSync(outside, { recursive: true })
    symlinkSync(join(here.root, "aside"), here.at("src"))
    const outcome = await back(here, 1, { force: true })
    expect(outcome.failed.map(({ why }) => why)).toEqual([
      "a folder on its way is a link now",
      "a folder on its way is a link now",
    ])
    expect(readdirSync(join(here.root, "aside")).sort()).toEqual(["a.txt", "made.txt"])
    expect(lstatSync(here.at("src")).isSymbolicLink()).toBe(true)
  })

  it("never writes inside .git", async () => {
    const here = scene({ ".git/config": "[core]\n", "module/.git/hooks/x": "1" })
    await here.call("write", [".git/config", "module/.git/hooks/x"], () => {
      here.write(".git/config", "changed")
      here.write("module/.git/hooks/x", "2")
    })
    const outcome = await back(here, 1, { force: true })
    expect(outcome.restored).toEqual([])
    expect(outcome.skipped.map(({ lost }) => lost)).toEqual(Array(2).fill("git keeps its own history, and only git writes there"))
    expect(here.read(".git/config")).toBe("changed")
  })

  it("changes nothing when a part of what it needs is gone from the store", async () => {
    const here = scene({ "a.txt": "one", "b.txt": "other" })
    await here.call("write", ["a.txt", "b.txt"], () => {
      here.write("a.txt", "two")
      here.write("b.txt", "two")
    })
    rmSync(join(here.folder, "objects"), { recursive: true })
    const outcome = await restore(here.folder, { id: 1 })
    expect(outcome).toEqual({ ok: false, problem: `what ${here.at("a.txt")} held is not in the store any more` })
    expect([here.read("a.txt"), here.read("b.txt")]).toEqual(["two", "two"])
    expect(await restore(here.folder, { id: 9 })).toEqual({ ok: false, problem: "there is no checkpoint 9" })
  })

  it("tells of a folder that stands in a file's way, and does the rest", async () => {
    const here = scene({ "a.txt": "one", "b.txt": "one" })
    await here.call("write", ["a.txt", "b.txt"], () => {
      here.write("a.txt", "two")
      here.write("b.txt", "two")
    })
    unlinkSync(here.at("a.txt"))
    here.write("a.txt/inside", "x")
    const outcome = await back(here, 1, { force: true })
    expect(outcome.failed).toEqual([{ path: here.at("a.txt"), why: "a folder stands there now" }])
    expect(here.read("b.txt")).toBe("one")
    expect(here.read("a.txt/inside")).toBe("x")
  })
})
