import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { refusal } from "./contract.ts"
import { changeTogether, rollBackTransactions } from "./file-transaction.ts"
import { guardedHost } from "./guarded.ts"
import { localHost } from "./local.ts"
import { temporaryFolder } from "./temporary-folder.ts"

const BEFORE = { "a.txt": "a", "gone.sh": "#!/bin/sh\n" }
const AFTER = { "a.txt": "A", "new/deep/b.txt": "B" }

/** A workspace, and a folder for pre-images beside it. */
async function scene() {
  const base = await temporaryFolder({ "work/a.txt": "a", "work/gone.sh": "#!/bin/sh\n" })
  const work = join(base, "work")
  await chmod(join(work, "gone.sh"), 0o750)
  return { work, undoFolder: join(base, "undo") }
}

async function filesOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files: Record<string, string> = {}
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    files[path.slice(folder.length + 1)] = entry.isFile() ? await readFile(path, "utf8") : "folder"
  }
  return files
}

const changesIn = (work: string) => [
  { path: join(work, "a.txt"), content: "A" },
  { path: join(work, "new/deep/b.txt"), content: "B", from: join(work, "gone.sh") },
  { path: join(work, "gone.sh"), remove: true } as const,
]

/** Resolves with the signal that ended the process. */
async function changeAndDie(work: string, undoFolder: string, step: string): Promise<string | null> {
  const script = join(import.meta.dirname, "../../test/change-together.ts")
  const child = spawn(process.execPath, ["--import", "tsx", script, work, undoFolder, step], {
    stdio: ["ignore", "ignore", "inherit"],
  })
  const [, signal] = await once(child, "exit")
  return signal
}

describe("files changed together", () => {
  it("are all changed, keep their mode bits when moved, and leave nothing behind", async () => {
    const { work, undoFolder } = await scene()
    await changeTogether(changesIn(work), { undoFolder })
    expect(await filesOf(work)).toEqual({ ...AFTER, new: "folder", "new/deep": "folder" })
    expect((await stat(join(work, "new/deep/b.txt"))).mode & 0o777).toBe(0o750)
    expect(await readdir(undoFolder)).toEqual([])
  })

  it("are all put back when one fails half-way, new folders and mode bits included", async () => {
    for (const undo of [true, false]) {
      const { work, undoFolder } = await scene()
      const failing = changeTogether(changesIn(work), {
        undoFolder: undo ? undoFolder : undefined,
        onStep(step) {
          if (step === "changed") throw new Error("the disk is gone")
        },
      })
      await expect(failing).rejects.toThrow("the disk is gone")
      expect(await filesOf(work)).toEqual(BEFORE)
      expect((await stat(join(work, "gone.sh"))).mode & 0o777).toBe(0o750)
      if (undo) expect(await readdir(undoFolder)).toEqual([])
    }
  })

  const KILLS = [
    { step: "keep", restored: [] },
    { step: "kept", restored: [] },
    { step: "change 0", restored: [] },
    { step: "change 1", restored: ["a.txt"] },
    { step: "change 2", restored: ["a.txt", "new/deep/b.txt"] },
    { step: "changed", restored: ["a.txt", "gone.sh", "new/deep/b.txt"] },
  ]
  it.each(KILLS)(
    "killed before the step $step, are put back by the next start",
    { timeout: 60_000 },
    async ({ step, restored }) => {
      const { work, undoFolder } = await scene()
      expect(await changeAndDie(work, undoFolder, step)).toBe("SIGKILL")
      const host = localHost(work, { undoFolder })
      expect(await host.rollBack()).toEqual(restored.map((path) => join(work, path)))
      expect(await filesOf(work)).toEqual(BEFORE)
      expect((await stat(join(work, "gone.sh"))).mode & 0o777).toBe(0o750)
      expect(await readdir(undoFolder).catch(() => [])).toEqual([])
      expect(await host.rollBack()).toEqual([])
    },
  )

  it("killed after the last step, stay changed", { timeout: 60_000 }, async () => {
    const { work, undoFolder } = await scene()
    expect(await changeAndDie(work, undoFolder, "dropped")).toBe("SIGKILL")
    expect(await rollBackTransactions(undoFolder)).toEqual([])
    expect(await filesOf(work)).toMatchObject(AFTER)
  })

  it("are not put back over what somebody has written since the crash, and our leftover goes", { timeout: 60_000 }, async () => {
    const { work, undoFolder } = await scene()
    await changeAndDie(work, undoFolder, "changed")
    await writeFile(join(work, "a.txt"), "somebody's")
    const [name = ""] = await readdir(undoFolder)
    await writeFile(join(work, `.joey-${name}-0.tmp`), "half")
    expect(await rollBackTransactions(undoFolder)).toEqual([join(work, "gone.sh"), join(work, "new/deep/b.txt")])
    expect(await filesOf(work)).toEqual({ ...BEFORE, "a.txt": "somebody's" })
  })

  it("are not put back through a link that stands in the way since, but stay kept", { timeout: 60_000 }, async () => {
    const { work, undoFolder } = await scene()
    await changeAndDie(work, undoFolder, "changed")
    const outside = await temporaryFolder({ "deep/b.txt": "B" })
    await rm(join(work, "new"), { recursive: true })
    await symlink(outside, join(work, "new"))
    await rollBackTransactions(undoFolder)
    expect(await filesOf(outside)).toEqual({ deep: "folder", "deep/b.txt": "B" })
    expect(await readdir(undoFolder)).toHaveLength(1)
  })

  it("survive a folder of pre-images that makes no sense", async () => {
    const { work, undoFolder } = await scene()
    await mkdir(join(undoFolder, "odd"), { recursive: true })
    await writeFile(join(undoFolder, "odd/record.json"), "{")
    await writeFile(join(undoFolder, "stray"), "")
    await mkdir(join(undoFolder, "begun.tmp"))
    expect(await rollBackTransactions(undoFolder)).toEqual([])
    expect(await filesOf(work)).toEqual(BEFORE)
    expect((await readdir(undoFolder)).sort()).toEqual(["odd", "stray"])
  })

  it("are each admitted, and none is touched when one is not", async () => {
    const { work, undoFolder } = await scene()
    await mkdir(join(work, "in"))
    const host = guardedHost(localHost(work, { undoFolder }), { roots: [join(work, "in")], paths: [join(work, "a.txt")] })
    const outside = { path: "gone.sh", remove: true } as const
    await expect(host.applyChanges([{ path: "a.txt", content: "A" }, outside])).rejects.toEqual(refusal("outside"))
    await expect(host.applyChanges([{ path: "in/new.txt", content: "x", from: "gone.sh" }])).rejects.toEqual(refusal("outside"))
    expect(await filesOf(work)).toEqual({ ...BEFORE, in: "folder" })
    await host.applyChanges([
      { path: "in/x.txt", content: "x" },
      { path: "a.txt", remove: true },
    ])
    expect(await filesOf(work)).toEqual({ "gone.sh": BEFORE["gone.sh"], in: "folder", "in/x.txt": "x" })
  })

  it("replace the target of a link, but do not remove through one", async () => {
    const { work, undoFolder } = await scene()
    await symlink("a.txt", join(work, "link"))
    const host = localHost(work, { undoFolder })
    await host.applyChanges([{ path: "link", content: "through" }])
    expect(await readFile(join(work, "a.txt"), "utf8")).toBe("through")
    const removing = host.applyChanges([
      { path: "gone.sh", content: "x" },
      { path: "link", remove: true },
    ])
    await expect(removing).rejects.toThrow("is a symbolic link; it was not removed")
    expect((await lstat(join(work, "link"))).isSymbolicLink()).toBe(true)
    expect(await readFile(join(work, "gone.sh"), "utf8")).toBe(BEFORE["gone.sh"])
    await expect(
      host.applyChanges([
        { path: "link", content: "1" },
        { path: "a.txt", content: "2" },
      ]),
    ).rejects.toThrow("named twice")
  })
})
