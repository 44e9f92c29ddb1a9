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
  const starts = ["", "", "", "", "../", "../../", `${workspace}/`, `${base}/out/`, `${base}/`, "./", `/proc/self/root${base}/`]
  const steps = Array.from({ length: 1 + roll(4) }, () => (roll(5) === 0 ? ".." : NAMES[roll(NAMES.length)]))
  return `${starts[roll(starts.length)]}${steps.join("/")}`
}

/** Folders, files and links at random places; what cannot be made is left out. */
function plant(scene: Scene, roll: (below: number) => number): void {
  for (let count = 0; count < 25; count++) {
    const place = join(scene.workspace, ...Array.from({ length: 1 + roll(3) }, () => NAMES[roll(NAMES.length)] ?? "a"))
    const inside = join(place, "..")
    try {
      if (!realpathSync(inside).startsWith(scene.workspace)) continue
      if (roll(4) === 0) mkdirSync(place)
      else if (roll(3) === 0) writeFileSync(place, "inside", { flag: "wx" })
      else symlinkSync(randomWay(roll, scene), place)
    } catch {
      // something stands there already, or no folder does
    }
  }
}

/** What the system finds there, when that is a file in the workspace. */
function insideText({ workspace }: Scene, path: string): string | undefined {
  try {
    const real = realpathSync(path)
    return real.startsWith(`${workspace}/`) && statSync(real).isFile() ? readFileSync(real, "utf8") : undefined
  } catch {
    return undefined
  }
}

describe.each(["held", "looked at"])("A.12.33: in random trees of links, with things %s", (manner) => {
  it.runIf(process.platform !== "win32")("nothing outside is told or changed, and what is inside is read", async () => {
    let read = 0
    let refused = 0
    for (let seed = 1; seed <= 12; seed++) {
      const scene = await escapeScene()
      const roll = dice(seed * (manner === "held" ? 1 : 1000))
      plant(scene, roll)
      if (manner === "looked at") withoutDoors()
      const host = guardedHost(localHost(scene.workspace), { roots: [scene.workspace] })
      const before = outsideOf(scene)
      for (let count = 0; count < 40; count++) {
        const path = randomWay(roll, scene)
        const there = insideText(scene, host.resolve(path))
        for (const [name, touch] of [["readFile", LOOKS.readFile] as const, pick({ ...LOOKS, ...CHANGES }, roll)]) {
          const text = await touch(host, path).catch((error: Error) => {
            expect(error.name, `seed ${seed}: ${name} ${path}: ${error.stack}`).toBe("HostError")
            refused++
            return error.message
          })
          expect(text, `seed ${seed}: ${name} ${path}`).not.toContain(SECRET)
          if (name !== "readFile" || there === undefined) continue
          expect(text, `seed ${seed}: ${path}`).toBe(there)
          read++
        }
      }
      expect(outsideOf(scene), `seed ${seed}`).toBe(before)
    }
    expect(read).toBeGreaterThan(10)
    expect(refused).toBeGreaterThan(100)
  })
})

function pick<T>(record: Record<string, T>, roll: (below: number) => number): [string, T] {
  const entries = Object.entries(record)
  const entry = entries[roll(entries.length)]
  if (!entry) throw new Error("nothing to pick from")
  return entry
}
