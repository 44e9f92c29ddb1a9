import { chmodSync, mkdirSync, readlinkSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { listCheckpoints } from "./history.ts"
import { restore } from "./restore.ts"
import { commitAll, type Scene, scene } from "./test-scene.ts"
import { viewTree } from "./tree.ts"

async function back(here: Scene, id: number, force = false) {
  const outcome = await restore(here.folder, { id, force })
  if (!outcome.ok) throw new Error(outcome.problem)
  return outcome
}

describe("around a command", () => {
  it("S29: what it changed, made and deleted is noted and brought back, without a repository", async () => {
    const here = scene({ "a.txt": "1", "gone/b.txt": "2", "still.txt": "3", "run.sh": "#!" })
    const told = await here.command(() => {
      here.write("a.txt", "changed")
      rmSync(here.at("gone"), { recursive: true })
      here.write("made/by/it.txt", "new")
      chmodSync(here.at("run.sh"), 0o700)
      symlinkSync("a.txt", here.at("link"))
    })
    expect(told).toEqual([])
    const paths = listCheckpoints(here.folder).flatMap(({ changes }) => changes.map(({ path }) => path))
    expect(paths.sort()).toEqual(["a.txt", "gone/b.txt", "link", "made/by/it.txt", "run.sh"].map(here.at))
    expect((await back(here, 1)).failed).toEqual([])
    expect([here.read("a.txt"), here.read("gone/b.txt"), here.found("made"), here.found("link")]).toEqual([
      "1",
      "2",
      undefined,
      undefined,
    ])
    expect(here.mode("run.sh")).toBe(0o644)
  })

  it("a file written in place within the same size and time is noticed", async () => {
    const here = scene({ "a.txt": "same size" })
    const then = new Date(2020, 1, 1)
    utimesSync(here.at("a.txt"), then, then)
    await here.command(() => {
      writeFileSync(here.at("a.txt"), "Same Size")
      utimesSync(here.at("a.txt"), then, then)
    })
    await back(here, 1)
    expect(here.read("a.txt")).toBe("same size")
  })

  it("a file that was only touched is no change", async () => {
    const here = scene({ "a.txt": "1" })
    await here.command(() => utimesSync(here.at("a.txt"), 1, 1))
    expect(listCheckpoints(here.folder)).toEqual([])
  })

  it("what the person changes between two commands is not taken for the agent's", async () => {
    const here = scene({ "a.txt": "1", "mine.txt": "1" })
    await here.command(() => here.write("a.txt", "2"))
    here.write("mine.txt", "person's")
    here.write("also-mine.txt", "person's")
    await here.command(() => here.write("a.txt", "3"))
    await back(here, 1)
    expect([here.read("a.txt"), here.read("mine.txt"), here.read("also-mine.txt")]).toEqual(["1", "person's", "person's"])
  })

  it("what the person wrote just before a command that overwrites it can be brought back", async () => {
    const here = scene({ "a.txt": "1" })
    await here.command(() => {})
    here.write("a.txt", "person's, never saved anywhere")
    await here.command(() => here.write("a.txt", "overwritten"))
    await back(here, 2)
    expect(here.read("a.txt")).toBe("person's, never saved anywhere")
  })

  it("files that git has as they are need no copy, and come back out of git's objects", async () => {
    const here = scene({ "clean.txt": "committed", "dirty.txt": "committed", "deep/clean.txt": "also" })
    here.commitAll()
    here.write("dirty.txt", "not committed")
    here.write("untracked.txt", "untracked")
    await here.command(() => {
      for (const path of ["clean.txt", "dirty.txt", "untracked.txt"]) here.write(path, "overwritten")
      rmSync(here.at("deep"), { recursive: true })
    })
    expect(listCheckpoints(here.folder)[0]?.changes).toHaveLength(4)
    rmSync(here.at(".git"), { recursive: true }) // they were copied when they were needed
    expect((await back(here, 1)).skipped).toEqual([])
    expect(here.read("clean.txt")).toBe("committed")
    expect(here.read("dirty.txt")).toBe("not committed")
    expect(here.read("untracked.txt")).toBe("untracked")
    expect(here.read("deep/clean.txt")).toBe("also")
  })

  it("nested repositories and submodules are looked at with their own index", async () => {
    const library = scene({ "lib.txt": "library" })
    library.commitAll()
    const here = scene({ "a.txt": "outer", "nested/b.txt": "nested" })
    commitAll(here.at("nested"))
    here.git("init", "-q")
    here.git("submodule", "add", "-q", library.workspace, "module")
    here.git("add", "a.txt")
    await here.command(() => {
      here.write("nested/b.txt", "x")
      here.write("module/lib.txt", "x")
      here.write("a.txt", "x")
    })
    expect((await back(here, 1)).restored).toHaveLength(3)
    expect([here.read("a.txt"), here.read("nested/b.txt"), here.read("module/lib.txt")]).toEqual(["outer", "nested", "library"])
    expect(here.git("status", "--porcelain", "module")).toContain("module")
  })

  it("a folder inside a repository uses the index above it", async () => {
    const outer = scene({ "package/src/a.txt": "committed", "b.txt": "outside" })
    outer.commitAll()
    outer.reopen({ workspace: outer.at("package") })
    await outer.command(() => {
      outer.write("package/src/a.txt", "x")
      outer.write("b.txt", "not looked at")
    })
    await back(outer, 1)
    expect([outer.read("package/src/a.txt"), outer.read("b.txt")]).toEqual(["committed", "not looked at"])
  })

  it("a large-file pointer in git is never put in the place of the file itself", async () => {
    const here = scene({ "big.bin": "what the file really holds" })
    here.commitAll()
    const [sample = ""] = here.git("ls-files", "-s", "big.bin").split("\t")
    const pointer = "version https://git-lfs.github.com/spec/v1\n"
    writeFileSync(here.at("pointer"), pointer)
    const blob = here.git("hash-object", "-w", "pointer").trim()
    unlinkSync(here.at("pointer"))
    // As after a filter: the index has the pointer's blob with the times and the size of the file.
    const { readFileSync } = await import("node:fs")
    const index = readFileSync(here.at(".git/index"))
    const at = index.indexOf(Buffer.from(sample.split(" ")[1] ?? "", "hex"))
    Buffer.from(blob, "hex").copy(index, at)
    await new Promise((done) => setTimeout(done, 20))
    writeFileSync(here.at(".git/index"), index)
    const told = await here.command(() => here.write("big.bin", "overwritten"))
    expect(told).toEqual([
      `No checkpoint can bring back ${here.at("big.bin")}, which a-tool changed: git keeps it in another form.`,
    ])
    expect((await back(here, 1, true)).restored).toEqual([])
    expect(here.read("big.bin")).toBe("overwritten")
  })

  it("a large file that was changed is told of, a large one that was made is not", async () => {
    const here = scene({ "big.bin": Buffer.alloc(5000) }, { limits: { commandFileBytes: 1000 } })
    const told = await here.command(() => {
      here.write("big.bin", Buffer.alloc(5001))
      here.write("new.bin", Buffer.alloc(5002))
    })
    expect(told).toEqual([
      `No checkpoint can bring back ${here.at("big.bin")}, which a-tool changed: it was too large to be kept (5.0 KB).`,
    ])
  })

  it("what was not read after the command is still known by its times, and removed only while it is untouched", async () => {
    const here = scene({}, { limits: { commandFileBytes: 10 } })
    await here.command(() => {
      here.write("made-1.bin", Buffer.alloc(5000))
      here.write("made-2.bin", Buffer.alloc(5000))
    })
    here.write("made-2.bin", "the person's")
    const outcome = await back(here, 1)
    expect(outcome.restored.map(({ path }) => path)).toEqual([here.at("made-1.bin")])
    expect([here.found("made-1.bin"), here.found("made-2.bin")]).toEqual([undefined, "the person's"])
    await back(here, outcome.undo ?? 0)
    expect(here.found("made-1.bin")).toHaveLength(5000)
  })

  it("what there was no time to read is told, and read before the next command", async () => {
    const here = scene({ "a.txt": "1", "b.txt": "1" }, { limits: { keep: { ms: -1, atLeastBytes: -1 } } })
    const told = await here.command(() => here.write("a.txt", "2"))
    expect(told[0]).toContain("there was no time to read it before the command")
    here.reopen({ limits: {} })
    await here.command(() => here.write("b.txt", "2"))
    await back(here, 2)
    expect(here.read("b.txt")).toBe("1")
  })

  it("a tree that is too large is looked at in part, told once, and nothing unseen is taken for made or deleted", async () => {
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, number) => [`d${number}/f.txt`, "1"]))
    const here = scene({ "near.txt": "1", ...files }, { limits: { walk: { ms: 1000, files: 10 } } })
    const told = await here.command(() => {
      here.write("near.txt", "2")
      here.write("d59/f.txt", "2")
      here.write("d59/new.txt", "2")
      rmSync(here.at("d58"), { recursive: true })
    })
    expect(told).toEqual([
      "This folder is too large to be looked through around each command: what commands change deep inside may not be undone.",
    ])
    const paths = listCheckpoints(here.folder).flatMap(({ changes }) => changes.map(({ path }) => path))
    expect(paths).toEqual([here.at("near.txt")])
  })

  it("packages, caches and git's own files are passed by; links are not followed", async () => {
    const here = scene({
      "a.txt": "1",
      "node_modules/p/i.js": "1",
      ".git/HEAD": "x",
      "sub/node_modules/q.js": "1",
      ".env": "KEY",
    })
    mkdirSync(`${here.root}/elsewhere`)
    writeFileSync(`${here.root}/elsewhere/secret`, "s")
    symlinkSync(`${here.root}/elsewhere`, here.at("out"))
    symlinkSync(".", here.at("loop"))
    const view = await viewTree(here.workspace, { ms: 1000, files: 1000 })
    expect([...view.files.keys()].sort()).toEqual([".env", "a.txt", "loop", "out"].map(here.at))
    await here.command(() => {
      unlinkSync(here.at("out"))
      unlinkSync(here.at(".env"))
    })
    await back(here, 1)
    expect(readlinkSync(here.at("out"))).toBe(`${here.root}/elsewhere`)
    expect(here.read(".env")).toBe("KEY")
  })

  it("what the index of git claims is not believed when it is damaged", async () => {
    const here = scene({ "a.txt": "1" })
    here.commitAll()
    writeFileSync(
      here.at(".git/index"),
      Buffer.concat([Buffer.from("DIRC\0\0\0\x02\xff\xff\xff\xff", "latin1"), Buffer.alloc(50, 1)]),
    )
    await here.command(() => here.write("a.txt", "2"))
    await back(here, 1)
    expect(here.read("a.txt")).toBe("1")
  })
})
