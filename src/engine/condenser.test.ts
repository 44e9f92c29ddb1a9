import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { allText, filler, pastWorld } from "../../test/past-world.ts"
import { reply, words } from "../../test/replies.ts"
import { memoryHost } from "../host/memory.ts"
import { temporaryFolder } from "../host/temporary-folder.ts"
import { defaults } from "../settings/defaults.ts"
import type { Models } from "../types/model.ts"
import type { Settings } from "../types/settings.ts"
import { condenserOf, condenseSettings } from "./condenser.ts"
import { oneModel } from "./one-model.ts"

const settings = (more: Partial<Settings>): Settings => ({ ...defaults, ...more })

describe("whose settings hold", () => {
  const profiles = {
    fast: { model: "vendor/small", condense: { threshold: 0.5 } },
    slow: { model: "vendor/large", condense: { model: "fast" } },
    other: { model: "vendor/small", condense: { threshold: 0.3 } },
  }

  it("those of the profile whose model answers, over those outside", () => {
    const all = settings({ profiles, condense: { threshold: 0.7, prompt: "Sum up." } })
    expect(condenseSettings(all, "vendor/large", "code")).toEqual({ threshold: 0.7, prompt: "Sum up.", model: "fast" })
    expect(condenseSettings(all, "vendor/unknown", "code")).toEqual({ threshold: 0.7, prompt: "Sum up." })
  })

  it("of two profiles with the same model the one in use, that of the mode first", () => {
    expect(condenseSettings(settings({ profiles }), "vendor/small", "code").threshold).toBe(0.5)
    expect(condenseSettings(settings({ profiles, profile: "other" }), "vendor/small", "code").threshold).toBe(0.3)
    const modes = settings({ profiles, profile: "other", modeProfiles: { code: "fast" } })
    expect(condenseSettings(modes, "vendor/small", "code").threshold).toBe(0.5)
  })

  it("a model behind an address of its own is found by the name it was given", () => {
    const own = settings({
      profiles: { local: { baseUrl: "http://127.0.0.1:1/v1", model: "qwen", condense: { threshold: 0.4 } } },
    })
    expect(condenseSettings(own, "custom/qwen", "code").threshold).toBe(0.4)
  })

  it("a profile that somebody named after a part of every object is none", () => {
    expect(condenseSettings(settings({ profile: "constructor" }), "vendor/x", "code")).toEqual(defaults.condense)
  })
})

describe("the condenser of a task", () => {
  async function condenseWith(files: Record<string, string>, said: string, models?: Models) {
    const folder = await temporaryFolder({})
    const world = pastWorld({ script: [reply(words("A summary that is long enough to be taken for one."))] })
    world.say(said)
    world.turn({ learned: { "/project/src/a.ts": "x", "/project/gone.ts": "y", "/project/.env": "z" } })
    for (let turn = 0; turn < 16; turn++) world.turn({ result: filler(1_000) })
    world.begin()
    const memory = memoryHost(files)
    const host = { ...memory, workspace: "/project", isSecret: (path: string) => path.endsWith(".env") }
    const condenser = condenserOf({
      settings: () => settings({ condense: { threshold: 0.8, model: "cheap" } }),
      models: models ?? oneModel(world.model),
      mode: () => "code",
      host,
      folder,
      events: () => world.events,
      sleep: async () => {},
    })
    for (const event of world.events) condenser.see(event)
    const request = {
      state: world.state(),
      model: world.model,
      system: "",
      tools: [],
      by: "threshold" as const,
      notes: async () => [],
    }
    const condensing = await condenser.condense(request, new AbortController().signal)
    if (condensing.kind !== "condensed") throw new Error(JSON.stringify(condensing))
    return { folder, world, text: allText(condensing.event.messages) }
  }

  it("describes files as they are now, says which are gone, and shows nothing of secret ones", async () => {
    const { text } = await condenseWith(
      { "/project/src/a.ts": "export function go(): void {\n}\n", "/project/.env": "const KEY = 1\n" },
      "go",
    )
    expect(text).toContain("- src/a.ts: 2 lines: function go(): void")
    expect(text).toContain("- gone.ts: is gone")
    expect(text).toMatch(/- \.env: \d+ bytes\n/)
    expect(text).not.toContain("KEY")
  })

  it("keeps words that are too long in a file only the person can read", async () => {
    const long = `begin ${filler(30_000)}`
    const { folder, text } = await condenseWith({}, long)
    const [, path = ""] = /all of it is in the file (\S+\.txt)\./.exec(text) ?? []
    expect(path.startsWith(join(folder, "kept"))).toBe(true)
    expect(existsSync(path) && readFileSync(path, "utf8")).toBe(long)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it("another profile's model sums up, and the task's own choice stays as it was", async () => {
    const cheap = pastWorld({ script: [reply(words("A summary by the cheap one, long enough to be taken."))] }).model
    const chosen: string[] = []
    const models: Models = {
      ...oneModel(cheap),
      choose: (name) => {
        chosen.push(name)
        return undefined
      },
      branch: () => ({ ...oneModel(cheap), choose: (name) => (name === "cheap" ? cheap : undefined) }),
    }
    const { text, world } = await condenseWith({}, "go", models)
    expect(text).toContain("A summary by the cheap one")
    expect(world.model.requests).toEqual([])
    expect(chosen).toEqual([])
  })
})
