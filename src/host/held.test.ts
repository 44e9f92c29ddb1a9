/** Where paths really lead, and what is never opened though it has a path. */
import { appendFileSync, closeSync, linkSync, openSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { refusal } from "./contract.ts"
import { guardedHost } from "./guarded.ts"
import { hostError, onOneLine } from "./host-error.ts"
import { refuseKernelFile } from "./kernel-files.ts"
import { localHost } from "./local.ts"
import { openedFile } from "./opened-file.ts"
import { realPath } from "./real-path.ts"
import { temporaryFolder } from "./temporary-folder.ts"

describe("a real path", () => {
  it("follows links that lead to nothing as the kernel would: two dots after a link go up from where it leads", async () => {
    const folder = await temporaryFolder({ "work/src/deep/": "", "out/": "" })
    symlinkSync("src/deep", join(folder, "work/in"))
    symlinkSync("in/../none.txt", join(folder, "work/dangling"))
    expect(realPath(join(folder, "work/dangling"))).toBe(join(folder, "work/src/none.txt"))
    symlinkSync("in/../../../out/none/x", join(folder, "work/away"))
    expect(realPath(join(folder, "work/away/y"))).toBe(join(folder, "out/none/x/y"))
  })

  it("of a deep path that is not there is found at once, and one too long is refused", async () => {
    const folder = await temporaryFolder()
    const deep = `${folder}${"/a".repeat(1900)}`
    expect(realPath(deep)).toBe(deep)
    expect(() => realPath(`${folder}${"/a".repeat(100_000)}`)).toThrow("ENAMETOOLONG")
  })

  it("of links that go round in a circle does not exist", async () => {
    const folder = await temporaryFolder()
    symlinkSync("b/none", join(folder, "a"))
    symlinkSync("a/none", join(folder, "b"))
    expect(() => realPath(join(folder, "a"))).toThrow("ELOOP")
  })
})

describe("what belongs to the kernel", () => {
  it.runIf(process.platform === "linux")(
    "is not read even where a person admitted it; whether it is there can be asked",
    async () => {
      const workspace = await temporaryFolder()
      const inner = localHost(workspace)
      for (const path of [
        "/proc/self/environ",
        "/proc/self/mem",
        "/proc/kmsg",
        "/proc/kcore",
        "/sys/kernel/uevent_seqnum",
        "/proc/cpuinfo",
      ]) {
        const host = guardedHost(inner, { roots: [workspace], paths: [await inner.realPath(path)] })
        if ((await host.stat(path)) === undefined) continue
        await expect(host.readFile(path), path).rejects.toEqual(refusal("no-access"))
        await expect(host.readLines(path, { offset: 1, limit: 1 }), path).rejects.toThrow("look at it with a command")
      }
      const host = guardedHost(inner, { roots: ["/"] })
      for (const path of ["/proc", "/sys", "/dev"]) {
        await expect(host.writeFile(`${path}/joey-test`, "x"), path).rejects.toEqual(refusal("no-access"))
        await expect(host.run({ shell: "ls" }, { cwd: path }), path).rejects.toEqual(refusal("no-access"))
      }
      for (const path of ["/dev/zero", "/dev/null"])
        await expect(host.readFile(path)).rejects.toThrow("a device, a pipe or a socket")
    },
  )

  it.runIf(process.platform === "linux")("is known wherever it is mounted, and memory for files is none of it", () => {
    expect(() => refuseKernelFile("/project/mounted/environ", "/proc/self")).toThrow("OF_THE_KERNEL")
    expect(() => refuseKernelFile("/project/mounted/x", "/sys")).toThrow("OF_THE_KERNEL")
    for (const fine of ["/dev/shm", "/dev/shm/a", "/development/a", "/process", "/project/proc/a"]) {
      expect(() => refuseKernelFile(fine, "/tmp")).not.toThrow()
    }
  })

  it("leaves no descriptor behind, however a touch ends", async () => {
    if (process.platform !== "linux") return
    const workspace = await temporaryFolder({ "a.txt": "a", "src/": "" })
    const host = guardedHost(localHost(workspace), { roots: [workspace] })
    const open = () => readdirSync("/proc/self/fd").length
    const before = open()
    for (const path of [
      "a.txt",
      "src",
      "none",
      "../x",
      "/etc/passwd",
      "/proc/self/environ",
      "a.txt/x",
      "/dev/zero",
      "new/deep/b.txt",
    ]) {
      await host.readFile(path).catch(() => {})
      await host.stat(path).catch(() => {})
      await host.readLines(path, { offset: 1, limit: 1 }).catch(() => {})
      if (!path.startsWith("/")) await host.writeFile(path, "x").catch(() => {})
      await host.run({ program: "true", args: [] }, { cwd: path }).catch(() => {})
    }
    expect(open()).toBeLessThanOrEqual(before + 1)
  })
})

it("tells how many names lead to a file", async () => {
  const folder = await temporaryFolder({ "a.txt": "a", "b.txt": "b" })
  linkSync(join(folder, "a.txt"), join(folder, "also.txt"))
  const host = localHost(folder)
  expect([await host.stat("also.txt"), await host.stat("b.txt")]).toMatchObject([{ links: 2 }, { links: 1 }])
  expect(await host.stat(".")).not.toHaveProperty("links")
})

it("a hard link that is written becomes a file of its own: the other name keeps what it had", async () => {
  const base = await temporaryFolder({ "out/secret.txt": "secret", "work/": "" })
  linkSync(join(base, "out/secret.txt"), join(base, "work/linked.txt"))
  await guardedHost(localHost(join(base, "work")), { roots: [join(base, "work")] }).writeFile("linked.txt", "mine")
  expect(Buffer.from(await localHost(base).readFile("out/secret.txt")).toString()).toBe("secret")
})

it("a file is read whole also when it grows while it is read, and when it is large", async () => {
  const path = join(await temporaryFolder(), "a.txt")
  for (const size of [0, 5, 300_000]) {
    writeFileSync(path, "x".repeat(size))
    const fd = openSync(path, "r")
    appendFileSync(path, "more")
    expect(Buffer.from(await openedFile(fd, size).readAll()).toString()).toBe(`${"x".repeat(size)}more`)
    closeSync(fd)
  }
})

it("a path in a refusal is short, on one line, and cannot turn the line round", () => {
  expect(onOneLine("a\nb\0c\u202ed\u2028e\x1b[31m")).toBe("a\\nb\\0c\\u202ed\\u2028e\\u001b[31m")
  expect(onOneLine(`head${"🔑".repeat(5_000_000)}tail`)).toMatch(/^head🔑+…🔑+tail$/u)
  expect(onOneLine(`head${"🔑".repeat(5_000_000)}tail`).length).toBeLessThan(400)
  const told = hostError(Object.assign(new Error(), { code: "ENOENT" }), "y".repeat(10_000_000))
  expect(told).toEqual(refusal("not-found"))
  expect(told).toMatchObject({ message: expect.stringMatching(/^.{1,500}$/), path: expect.stringMatching(/^.{1,4100}$/) })
})
