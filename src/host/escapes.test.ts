/** A corpus of ways out: none of them touches, or tells, anything outside through any method of a guarded host. */
import { describe, expect, it } from "vitest"
import { type Host, HostError } from "../types/host.ts"
import { ESCAPES, type Escape } from "./escape-corpus.ts"
import { CHANGES, escapeScene, LOOKS, outsideOf, SECRET, withoutDoors } from "./escape-scene.ts"
import { guardedHost } from "./guarded.ts"
import { localHost } from "./local.ts"

const TOLD: Record<Escape["fate"], (code: string) => boolean> = {
  outside: (code) => code === "outside",
  refused: (code) => code !== "done" && code !== "threw",
  inside: (code) => code !== "outside" && code !== "threw",
}

/** Tries everything with one path; what is wrong about the outcome, if anything is. */
async function attempt(host: Host, { path, fate, system }: Escape): Promise<string[]> {
  const wrong: string[] = []
  const changes = fate === "inside" ? { writeFile: CHANGES.writeFile } : CHANGES
  for (const [name, touch] of Object.entries(system ? LOOKS : { ...LOOKS, ...changes })) {
    const { code, text } = await touch(host, path).then(
      (text) => ({ code: "done", text }),
      (error) => ({ code: error instanceof HostError ? error.code : "threw", text: String(error.message) }),
    )
    const isLook = name === "stat" && fate === "refused"
    if (!TOLD[fate](code) && !isLook) wrong.push(`${name} ${JSON.stringify(path.slice(0, 80))}: ${code} (${text.slice(0, 100)})`)
    if (text.includes(SECRET) || text.includes("root:")) wrong.push(`${name} ${path} told a secret`)
    if (code !== "done" && (text.includes("\n") || text.length > 1500))
      wrong.push(`${name} ${path.slice(0, 80)}: not one short line`)
  }
  return wrong
}

describe.each(["held", "looked at"])("A.12.33: with things %s, no way out succeeds", (manner) => {
  for (const [category, escapes] of Object.entries(ESCAPES)) {
    it.runIf(process.platform !== "win32")(category, async () => {
      const scene = await escapeScene()
      if (manner === "looked at") withoutDoors()
      const before = outsideOf(scene)
      const wrong: string[] = []
      const { workspace } = scene
      const host = guardedHost(localHost(workspace), { roots: [workspace] })
      for (const way of escapes(scene)) wrong.push(...(await attempt(host, way)))
      expect(wrong).toEqual([])
      expect(outsideOf(scene)).toBe(before)
    })
  }
})

it("the corpus is large, and has no way twice", async () => {
  const scene = await escapeScene()
  const paths = Object.values(ESCAPES).flatMap((escapes) => escapes(scene).map(({ path }) => path))
  expect(paths.length).toBeGreaterThanOrEqual(200)
  expect(new Set(paths).size).toBe(paths.length)
})

it("without a guard the same ways do lead out: the corpus can fail", async () => {
  const scene = await escapeScene()
  const host = localHost(scene.workspace)
  ESCAPES["linked"]?.(scene)
  for (const path of ["../out/secret.txt", "traps/third", "traps/via-sub", `/dev/fd/${scene.fileFd}`]) {
    expect(await LOOKS.readFile(host, path), path).toBe(SECRET)
  }
  const before = outsideOf(scene)
  await host.writeFile("traps/folder/new.txt", "x")
  expect(outsideOf(scene)).not.toBe(before)
})
