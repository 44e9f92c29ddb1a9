import { execFileSync, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { listCheckpoints } from "./history.ts"
import { readJournal } from "./journal.ts"
import { restore } from "./restore.ts"
import { scene } from "./test-scene.ts"

describe("checkpoints", () => {
  it("S29: keep what a call touches before it runs, and look at nothing else", async () => {
    const here = scene({ "a.txt": "before", "b.txt": "not touched" })
    await here.call("write", ["a.txt"], () => {
      expect(readJournal(here.folder)).toMatchObject([{ type: "before", files: [{ path: here.at("a.txt") }] }])
      here.write("a.txt", "after")
    })
    const [line] = readJournal(here.folder)
    expect(line?.type === "before" && line.files).toMatchObject([{ path: here.at("a.txt"), was: { kind: "file", size: 6 } }])
    const objects = readdirSync(join(here.folder, "objects"))
    expect(objects).toHaveLength(1)
  })

  it("are private to the person", async () => {
    const here = scene({ "a.txt": "secret" })
    await here.edit("a.txt", "x")
    const [folder = ""] = readdirSync(join(here.folder, "objects"))
    const [object = ""] = readdirSync(join(here.folder, "objects", folder))
    expect(statSync(join(here.folder, "objects", folder, object)).mode & 0o077).toBe(0)
    expect(statSync(join(here.folder, "index.jsonl")).mode & 0o077).toBe(0)
    expect(statSync(join(here.folder, "objects")).mode & 0o077).toBe(0)
  })

  it("can be looked into with git", async () => {
    const here = scene({ "a.txt": "before\n" })
    await here.edit("a.txt", "after\n")
    const [checkpoint] = listCheckpoints(here.folder)
    const was = checkpoint?.changes[0]?.was
    const blob = was?.kind === "file" ? was.blob : ""
    expect(execFileSync("git", [`--git-dir=${here.folder}`, "cat-file", "-p", blob], { encoding: "utf8" })).toBe("before\n")
  })

  it("leave out calls that changed nothing, and their numbers stay", async () => {
    const here = scene({ "a.txt": "1" })
    await here.call("write", ["a.txt"], () => {})
    await here.edit("a.txt", "2")
    expect(listCheckpoints(here.folder).map(({ id }) => id)).toEqual([2])
  })

  it("tell of a file that is too large, and the call runs", async () => {
    const here = scene({ "big.bin": Buffer.alloc(3000), "small.txt": "1" }, { limits: { fileBytes: 2000 } })
    const told = await here.call("write", ["big.bin", "small.txt"], () => {
      here.write("big.bin", "x")
      here.write("small.txt", "2")
    })
    expect(told).toEqual([
      `No checkpoint can bring back ${here.at("big.bin")}, which a-tool changed: it was too large to be kept (3.0 KB).`,
    ])
    const outcome = await restore(here.folder, { id: 1 })
    expect(outcome).toMatchObject({ ok: true, skipped: [{ lost: "it was too large to be kept (3.0 KB)" }] })
    expect([here.read("big.bin"), here.read("small.txt")]).toEqual(["x", "1"])
  })

  it("stop keeping at the task's cap and say so, also after a restart", async () => {
    const noise = () => randomBytes(4000)
    const here = scene({ "a.bin": noise(), "b.bin": noise(), "c.bin": noise() }, { limits: { taskBytes: 2000 } })
    expect(await here.edit("a.bin", "x")).toEqual([])
    const told = await here.edit("b.bin", "x")
    expect(told[0]).toContain("this task's checkpoints hold 2.0 KB already")
    here.reopen()
    expect((await here.edit("c.bin", "x"))[0]).toContain("this task's checkpoints hold 2.0 KB already")
  })

  it("go on with one clear line when the disk is full", async () => {
    const full: typeof writeSync = () => {
      throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" })
    }
    const here = scene({ "a.txt": "1" }, { write: full })
    const told = await here.edit("a.txt", "2")
    expect(told).toEqual(["No checkpoint could be kept (the disk is full): what a-tool changes cannot be undone."])
    expect(here.read("a.txt")).toBe("2")
    expect(readdirSync(join(here.folder, "objects"))).toEqual([])
    here.reopen({ write: writeSync })
    expect(await here.edit("a.txt", "3")).toEqual([])
    expect(await restore(here.folder, { id: 1 })).toMatchObject({ ok: true })
    expect(here.read("a.txt")).toBe("2")
  })

  it("lose nothing on a disk that is really full (needs the right to mount a small one)", async ({ skip }) => {
    const here = scene({
      "a.txt": "x".repeat(10_000),
      "b.txt": randomBytes(60_000),
    })
    const disk = join(here.root, "disk")
    mkdirSync(disk)
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=32k", "tmpfs", disk])
    if (mounted.status !== 0) skip("mounting is not permitted here")
    onTestFinished(() => void spawnSync("umount", ["-l", disk]))
    here.reopen({ folder: join(disk, "checkpoints") })
    expect(await here.edit("a.txt", "small now")).toEqual([])
    const told = await here.edit("b.txt", "small now")
    expect(told).toHaveLength(1)
    expect(told[0]).toContain("the disk is full")
    expect(await restore(join(disk, "checkpoints"), { id: 1, paths: [here.at("a.txt")] })).toMatchObject({ ok: true })
    expect(here.read("a.txt")).toHaveLength(10_000)
  })

  it("of several tasks of a tree go into one index, and one restore brings all of it back", async () => {
    const here = scene({ "a.txt": "1", "b.txt": "1" })
    await here.edit("a.txt", "2")
    here.reopen({ task: "task-2" })
    await here.edit("b.txt", "2")
    await here.edit("a.txt", "3")
    expect(listCheckpoints(here.folder).map(({ task }) => task)).toEqual(["task-1", "task-2", "task-2"])
    await restore(here.folder, { id: 1 })
    expect([here.read("a.txt"), here.read("b.txt")]).toEqual(["1", "1"])
  })

  it("pass over a torn line of the index and go on behind it", async () => {
    const here = scene({ "a.txt": "1" })
    await here.edit("a.txt", "2")
    appendFileSync(join(here.folder, "index.jsonl"), '{"type":"before","key":"tas')
    here.reopen()
    await here.edit("a.txt", "3")
    expect(listCheckpoints(here.folder).map(({ id, changes }) => [id, changes.length])).toEqual([
      [1, 1],
      [2, 1],
    ])
    expect(readFileSync(join(here.folder, "index.jsonl"), "utf8")).toContain('"key":"tas\n{')
  })

  it("cost nothing where nothing is changed", async () => {
    const here = scene({ "a.txt": "1" })
    expect(existsSync(here.folder)).toBe(false)
    expect(await here.call("write", [], () => {})).toEqual([])
    expect(existsSync(here.folder)).toBe(false)
  })
})
