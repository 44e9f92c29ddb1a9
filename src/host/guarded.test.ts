import { readdir, readFile, symlink } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Host } from "../types/host.ts"
import { refusal } from "./contract.ts"
import { guardedHost, guardHost } from "./guarded.ts"
import { localHost } from "./local.ts"
import { temporaryFolder } from "./temporary-folder.ts"

/** A workspace and, beside it, what must not be touched. */
async function scene() {
  const base = await temporaryFolder({
    "work/src/a.txt": "inside",
    "work-beside/secret.txt": "secret",
    "out/secret.txt": "secret",
    "out/deep/": "",
  })
  const workspace = join(base, "work")
  const inner = localHost(workspace)
  return { base, workspace, inner, host: guardedHost(inner, { roots: [workspace] }) }
}

/** Everything a host can do to a path. */
const TOUCHES: Record<string, (host: Host, path: string) => Promise<unknown>> = {
  stat: (host, path) => host.stat(path),
  readFile: (host, path) => host.readFile(path),
  readHead: (host, path) => host.readHead(path, 10),
  readLines: (host, path) => host.readLines(path, { offset: 1, limit: 10 }),
  writeFile: (host, path) => host.writeFile(path, "overwritten"),
  run: (host, path) => host.run({ shell: "ls" }, { cwd: path }),
}

async function untouched(base: string) {
  expect(await readFile(join(base, "out/secret.txt"), "utf8")).toBe("secret")
  expect((await readdir(join(base, "out"))).sort()).toEqual(["deep", "secret.txt"])
  expect(await readdir(join(base, "out/deep"))).toEqual([])
  expect(await readdir(join(base, "work-beside"))).toEqual(["secret.txt"])
}

describe("A.12.33: a guarded host refuses every way out", () => {
  /** Each makes a trap and gives the path to ask for. */
  const escapes: Record<string, (base: string, workspace: string) => Promise<string>> = {
    "an absolute path": async (base) => join(base, "out/secret.txt"),
    "two dots": async () => "../out/secret.txt",
    "two dots behind a folder that is not there": async () => "nowhere/../../out/secret.txt",
    "a sibling whose name begins alike": async () => "../work-beside/secret.txt",
    "a link to a file": async (base, workspace) => {
      await symlink(join(base, "out/secret.txt"), join(workspace, "link.txt"))
      return "link.txt"
    },
    "a relative link to a folder": async (_, workspace) => {
      await symlink("../../out", join(workspace, "src/docs"))
      return "src/docs/secret.txt"
    },
    "a chain of links": async (base, workspace) => {
      await symlink(join(base, "out"), join(workspace, "first"))
      await symlink("first", join(workspace, "second"))
      await symlink("second/secret.txt", join(workspace, "third"))
      return "third"
    },
    "a new file in a linked folder": async (base, workspace) => {
      await symlink(join(base, "out"), join(workspace, "linked"))
      return "linked/new/file.txt"
    },
    "a dangling link": async (base, workspace) => {
      await symlink(join(base, "out/new.txt"), join(workspace, "dangling"))
      return "dangling"
    },
    "a dangling link to a folder": async (base, workspace) => {
      await symlink(join(base, "out/none"), join(workspace, "dangling"))
      return "dangling/deep/new.txt"
    },
    "a dangling link by two dots through a link": async (_, workspace) => {
      await symlink("src", join(workspace, "inside"))
      await symlink("inside/../../out/new.txt", join(workspace, "dangling"))
      return "dangling"
    },
    "the root": async () => "/",
    "the folder above": async () => "..",
  }
  for (const [way, trap] of Object.entries(escapes)) {
    it(way, async () => {
      const { base, workspace, host } = await scene()
      const path = await trap(base, workspace)
      for (const [name, touch] of Object.entries(TOUCHES)) {
        await expect(touch(host, path), name).rejects.toEqual(refusal("outside"))
      }
      await untouched(base)
    })
  }

  it("and names both what was asked for and where it leads", async () => {
    const { base, workspace, host } = await scene()
    await symlink(join(base, "out"), join(workspace, "docs"))
    const told = `${workspace}/docs/secret.txt leads to ${base}/out/secret.txt, which is outside of what this call may touch`
    await expect(host.readFile("docs/secret.txt")).rejects.toThrow(told)
    await expect(host.readFile("../out/x")).rejects.toThrow(`${base}/out/x is outside of what this call may touch`)
  })
})

describe("a guarded host lets pass", () => {
  it("what lies inside, also through links that stay inside", async () => {
    const { base, workspace, host } = await scene()
    await symlink("src", join(workspace, "link"))
    await symlink("src/later.txt", join(workspace, "later"))
    expect(Buffer.from(await host.readFile("link/a.txt")).toString()).toBe("inside")
    expect(await host.stat("link/none.txt")).toBeUndefined()
    await host.writeFile("later", "made")
    await host.writeFile("new/deep/file.txt", "made")
    expect(await readFile(join(workspace, "src/later.txt"), "utf8")).toBe("made")
    expect(await readFile(join(workspace, "new/deep/file.txt"), "utf8")).toBe("made")
    expect(await host.run({ shell: "test -f a.txt" }, { cwd: "link" })).toMatchObject({ exitCode: 0 })
    await untouched(base)
  })

  it("a workspace that is reached through a link itself", async () => {
    const { base } = await scene()
    await symlink("work", join(base, "linked-work"))
    const host = guardedHost(localHost(join(base, "linked-work")), { roots: [join(base, "linked-work")] })
    expect(await host.readFile("src/a.txt")).toHaveLength(6)
    expect(await host.readFile(join(base, "work/src/a.txt"))).toHaveLength(6)
    await expect(host.readFile("../out/secret.txt")).rejects.toEqual(refusal("outside"))
  })

  it("single real paths, but not what lies beside or beneath them", async () => {
    const { base, workspace, inner } = await scene()
    const paths = [join(base, "out/secret.txt"), join(base, "out/deep"), join(base, "out/new.txt")]
    const host = guardedHost(inner, { roots: [workspace], paths })
    await symlink(join(base, "out/secret.txt"), join(workspace, "link.txt"))
    expect(await host.readFile("link.txt")).toHaveLength(6)
    expect(await host.run({ shell: "true" }, { cwd: "../out/deep" })).toMatchObject({ exitCode: 0 })
    await host.writeFile("../out/new.txt", "made")
    await expect(host.writeFile("../out/deep/x.txt", "x")).rejects.toEqual(refusal("outside"))
    await expect(host.run({ shell: "true" }, { cwd: "../out" })).rejects.toEqual(refusal("outside"))
  })

  it("only what both guards admit when one stands in the other", async () => {
    const { base, workspace, host } = await scene()
    const narrow = guardedHost(host, { roots: [join(workspace, "src"), base] })
    expect(await narrow.readFile("src/a.txt")).toHaveLength(6)
    await expect(narrow.readFile("../out/secret.txt")).rejects.toEqual(refusal("outside"))
  })
})

it("a host that does not ask cannot be guarded", async () => {
  const { admitting: _, ...plain } = localHost(await temporaryFolder())
  expect(() => guardedHost(plain, { roots: [] })).toThrow("cannot be guarded")
})

it("without a root nothing is admitted but the single paths", async () => {
  const { workspace, inner } = await scene()
  const host = guardedHost(inner, { roots: [], paths: [join(workspace, "src/a.txt")] })
  expect(await host.readFile("src/a.txt")).toHaveLength(6)
  await expect(host.writeFile("src/b.txt", "x")).rejects.toEqual(refusal("outside"))
})

it("what is hidden stays so in either form of its letters", async () => {
  const { workspace, inner } = await scene()
  for (const form of ["NFC", "NFD"] as const) {
    const isHidden = (path: string) => path === "s\u00e9cret.txt".normalize(form)
    const host = guardHost(inner, [workspace], isHidden)([])
    for (const asked of ["s\u00e9cret.txt", "se\u0301cret.txt"]) {
      await expect(host.writeFile(asked, "x")).rejects.toEqual(refusal("no-access"))
    }
  }
})

it("a refusal is one short line, whatever the path is", async () => {
  const { host } = await scene()
  const told = await host.readFile(`../${"long/".repeat(700)}\n\u202eend`).catch((error: Error) => error.message)
  expect(told).toMatch(/^.{20,1000}$/)
  expect(told).toContain("\\n\\u202eend is outside")
})
