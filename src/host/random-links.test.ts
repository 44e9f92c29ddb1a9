/** Random trees with links: whatever they look like, a guarded host gives no byte of a file outside and changes none. */
import { mkdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { CHANGES, escapeScene, LOOKS, outsideOf, type Scene, SECRET, withoutDoors } from "./escape-scene.ts"
import { guardedHost } from "./guarded.ts"
import { localHost } from "./local.ts"

/** Numbers that come again for the same seed (mulberry32). */
function dice(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const NAMES = ["a", "b", "c", "a.txt", "out", "secret.txt", "deep"]

function randomWay(roll: (below: number) => number, { base, workspace }: Scene): string {
  const starts = [
    "",
    "",
    "../",
    "../../",
    "../out/",
    "../../out/",
    `${workspace}/`,
    `${base}/out/`,
    `${base}/`,
    `/proc/self/root${base}/`,
  ]
  const steps = Array.from({ length: 1 + roll(4) }, () => (roll(5) === 0 ? ".." : NAMES[roll(NAMES.length)]))
  return `${starts[roll(starts.length)]}${steps.join("/")}`
}

/** Something that is there, more often than not. */
function target(roll: (below: number) => number, scene: Scene, planted: readonly string[]): string {
  const { base, workspace } = scene
  const near = ["../out", "../../out/deep", "../../../out", "..", ".", "../home/.ssh", `/proc/self/fd/${scene.folderFd}`]
  const far = [`${base}/out/secret.txt`, `${base}/out`, base, `${workspace}/src/../../out/deep`, `/proc/self/root${base}/out`]
  const own = planted.length > 0 ? [join(workspace, planted[roll(planted.length)] ?? "")] : []
  const all = [...near, ...far, ...own, ...own, randomWay(roll, scene)]
  return all[roll(all.length)] ?? "."
}

/** Folders, files and links at random places, which are given back; what cannot be made is left out. */
function plant(scene: Scene, roll: (below: number) => number): string[] {
  const planted: string[] = []
  for (let count = 0; count < 30; count++) {
    const place = join(scene.workspace, ...Array.from({ length: 1 + roll(3) }, () => NAMES[roll(NAMES.length)] ?? "a"))
    const inside = join(place, "..")
    try {
      if (!realpathSync(inside).startsWith(scene.workspace)) continue
      if (roll(4) === 0) mkdirSync(place)
      else if (roll(3) === 0) writeFileSync(place, "inside", { flag: "wx" })
      else symlinkSync(target(roll, scene, planted), place)
      planted.push(place.slice(scene.workspace.length + 1))
    } catch {
      // something stands there already, or no folder does
    }
  }
  return planted
}

/** Most ways begin where something was planted. */
function wayTo(planted: readonly string[], roll: (below: number) => number, scene: Scene): string {
  const rests = ["", "", "/secret.txt", "/out/secret.txt", "/deep/secret.txt", "/a", "/new/b"]
  return roll(4) === 0 ? randomWay(roll, scene) : `${planted[roll(planted.length)]}${rests[roll(rests.length)]}`
}

/** What the system finds there, when that is a file. */
function textAt(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? readFileSync(path, "utf8") : undefined
  } catch {
    return undefined
  }
}

describe.each(["held", "looked at"])("A.12.33: in random trees of links, with things %s", (manner) => {
  it.runIf(process.platform !== "win32")("nothing outside is told or changed, and what is inside is read", async () => {
    let read = 0
    let refused = 0
    let tempted = 0
    for (let seed = 1; seed <= 12; seed++) {
      const scene = await escapeScene()
      const roll = dice(seed * (manner === "held" ? 1 : 1000))
      const planted = plant(scene, roll)
      if (manner === "looked at") withoutDoors()
      const host = guardedHost(localHost(scene.workspace), { roots: [scene.workspace] })
      const before = outsideOf(scene)
      for (let count = 0; count < 40; count++) {
        const path = wayTo(planted, roll, scene)
        const there = textAt(host.resolve(path))
        if (there === SECRET) tempted++
        for (const [name, touch] of [["readFile", LOOKS.readFile] as const, pick({ ...LOOKS, ...CHANGES }, roll)]) {
          const text = await touch(host, path).catch((error: Error) => {
            expect(error.name, `seed ${seed}: ${name} ${path}: ${error.stack}`).toBe("HostError")
            refused++
            return error.message
          })
          expect(text, `seed ${seed}: ${name} ${path}`).not.toContain(SECRET)
          if (name !== "readFile" || there === undefined || there === SECRET) continue
          expect(text, `seed ${seed}: ${path}`).toBe(there)
          read++
        }
      }
      expect(outsideOf(scene), `seed ${seed}`).toBe(before)
    }
    expect(read).toBeGreaterThan(10)
    expect(tempted).toBeGreaterThan(10)
    expect(refused).toBeGreaterThan(100)
  })
})

function pick<T>(record: Record<string, T>, roll: (below: number) => number): [string, T] {
  const entries = Object.entries(record)
  const entry = entries[roll(entries.length)]
  if (!entry) throw new Error("nothing to pick from")
  return entry
}
