/** A file or folder that becomes a link between the check and the deed: never is anything outside told or changed. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Host } from "../types/host.ts"
import type { AdmittingHost } from "./admission.ts"
import { CHANGES, escapeScene, LOOKS, outsideOf, SECRET, withoutDoors } from "./escape-scene.ts"
import { guardedHost } from "./guarded.ts"
import { localHost } from "./local.ts"

/** A guarded host beneath which something happens between being admitted and being opened: the first time, the second … */
function racing(workspace: string, happenings: (() => Promise<void>)[]): Host {
  const inner: AdmittingHost = localHost(workspace)
  const raced: AdmittingHost = {
    ...inner,
    admitting: (admit) =>
      inner.admitting(async (asked, real) => {
        await admit(asked, real)
        await happenings.shift()?.()
      }),
  }
  return guardedHost(raced, { roots: [workspace] })
}

/** What was admitted is used, or nothing is; looks may still see what they were admitted to. */
function expectCaught(outcome: string, isLook: boolean): void {
  expect(outcome).not.toContain(SECRET)
  if (!isLook || outcome.startsWith("refused")) expect(outcome).toBe("refused as outside")
  else expect(["harmless", "something there"]).toContain(outcome)
}

const outcomeOf = (touching: Promise<string>) => touching.catch((error) => `refused as ${error.code}`)

describe.each(["held", "looked at"])("A.12.33: with things %s, a link swapped in is caught", (manner) => {
  const sceneOf = async () => {
    const scene = await escapeScene()
    await mkdir(join(scene.workspace, "src/deep"))
    await writeFile(join(scene.workspace, "src/secret.txt"), "harmless")
    if (manner === "looked at") withoutDoors()
    return { ...scene, before: outsideOf(scene), scene }
  }

  for (const [name, touch] of Object.entries({ ...LOOKS, ...CHANGES })) {
    it(`in place of a folder: ${name}`, async () => {
      const { base, workspace, before, scene } = await sceneOf()
      const host = racing(workspace, [
        async () => {
          await rename(join(workspace, "src"), join(base, "moved"))
          await symlink(join(base, "out"), join(workspace, "src"))
        },
      ])
      expectCaught(await outcomeOf(touch(host, name === "run" ? "src/deep" : "src/secret.txt")), name in LOOKS)
      expect(outsideOf(scene)).toBe(before)
    })

    if (name === "run") continue
    it(`in place of the file itself: ${name}`, async () => {
      const { base, workspace, before, scene } = await sceneOf()
      const host = racing(workspace, [
        async () => {
          await rm(join(workspace, "src/secret.txt"))
          await symlink(join(base, "out/secret.txt"), join(workspace, "src/secret.txt"))
        },
      ])
      expectCaught(await outcomeOf(touch(host, "src/secret.txt")), name in LOOKS)
      expect(outsideOf(scene)).toBe(before)
    })
  }

  it("and a file that somebody replaces by another at the wrong moment is read all the same", async () => {
    const { workspace } = await sceneOf()
    const target = join(workspace, "src/secret.txt")
    const host = racing(workspace, [
      async () => {
        await writeFile(`${target}.new`, "replaced")
        await rename(`${target}.new`, target)
      },
    ])
    expect(["harmless", "replaced"]).toContain(await LOOKS.readFile(host, "src/secret.txt"))
  })

  it("and a path that leads elsewhere at every look is not written", async () => {
    const { workspace } = await sceneOf()
    const relink = (from: string, to: string) => async () => {
      await rm(join(workspace, "src", from))
      await writeFile(join(workspace, "src", to), "inside")
      await symlink(to, join(workspace, "src", from))
    }
    const host = racing(workspace, [relink("secret.txt", "b"), relink("b", "c"), relink("c", "d")])
    await expect(host.writeFile("src/secret.txt", "x")).rejects.toThrow("where it leads keeps changing")
  })
})

/** What another process does in the folder above the workspace, over and over, to what the host is using. */
const FLIPS = {
  "a folder and a link": `
    move("work/src", "aside"); move("link", "work/src"); move("work/src", "link"); move("aside", "work/src")`,
  "a file and a link": `
    fs.symlinkSync("../../out/secret.txt", "made"); move("made", "work/src/secret.txt")
    fs.writeFileSync("made", "harmless"); move("made", "work/src/secret.txt")`,
  "nothing and a link": `
    fs.symlinkSync("../../out", "work/src/sub"); fs.unlinkSync("work/src/sub")
    fs.rmSync("work/src/sub", { recursive: true, force: true })`,
}

/** Back to the beginning, whatever stands where. */
const MEND = `
  if (fs.existsSync("aside")) { fs.rmSync("work/src", { recursive: true, force: true }); move("aside", "work/src") }
  if (!fs.lstatSync("link", { throwIfNoEntry: false })) fs.symlinkSync("../out", "link")
  fs.rmSync("made", { force: true }); fs.rmSync("work/src/sub", { recursive: true, force: true })`

describe("A.12.33: while another process swaps all the time, nothing outside is told or changed", () => {
  for (const [what, flip] of Object.entries(FLIPS)) {
    it.runIf(process.platform === "linux")(what, async () => {
      const scene = await escapeScene()
      const { base, workspace } = scene
      await writeFile(join(workspace, "src/secret.txt"), "harmless")
      await rm(join(workspace, "src/sub"), { recursive: true })
      await symlink("../out", join(base, "link"))
      const before = outsideOf(scene)
      const code = `const fs = require("fs"), move = fs.renameSync
        for (;;) try { ${flip} } catch { try { ${MEND} } catch {} }`
      const attacker = spawn(process.execPath, ["-e", code], { cwd: base, stdio: "ignore" })
      onTestFinished(() => void attacker.kill("SIGKILL"))
      const host = guardedHost(localHost(workspace), { roots: [workspace] })
      const seen = new Set<string>()
      const began = Date.now()
      const enough = () => seen.has("done") && seen.has("refused as outside") && Date.now() - began > 500
      while (!enough() && Date.now() - began < 10_000) {
        const texts = [
          await outcomeOf(LOOKS.readFile(host, "src/secret.txt")),
          await outcomeOf(LOOKS.readFile(host, "src/sub/secret.txt")),
          await outcomeOf(CHANGES.writeFile(host, "src/secret.txt")),
          await outcomeOf(CHANGES.writeFile(host, "src/sub/new.txt")),
          await outcomeOf(CHANGES["applyChanges, writing"](host, "src/secret.txt")),
        ]
        for (const text of texts) {
          expect(text).not.toContain(SECRET)
          seen.add(text.startsWith("refused") ? text : "done")
        }
      }
      attacker.kill("SIGKILL")
      await once(attacker, "exit")
      expect(enough(), [...seen].join(", ")).toBe(true)
      expect(outsideOf(scene)).toBe(before)
    })
  }
})
