import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { refuse, reply, say } from "../scripted-model/scenario.ts"
import { type ScriptedModel, startScriptedModel } from "../scripted-model/server.ts"
import type { SettingsLayer } from "../settings/layer.ts"
import { loadSettings } from "../settings/load.ts"
import type { Chunk } from "../types/chunk.ts"
import type { Model } from "../types/model.ts"
import { chooseModels, keyVariables } from "./choose-models.ts"

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean()
})

function folders(): { home: string; workspace: string } {
  const folder = mkdtempSync(join(tmpdir(), "joey-profiles-"))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  const [home, workspace] = [join(folder, "home"), join(folder, "workspace")]
  mkdirSync(home)
  mkdirSync(join(workspace, ".joey"), { recursive: true })
  return { home, workspace }
}

interface World {
  yours: object
  theirs?: object
  flags?: SettingsLayer
  env?: NodeJS.ProcessEnv
  trustProject?: boolean
}

async function choose({ yours, theirs, flags = {}, env = {}, trustProject = false }: World) {
  const { home, workspace } = folders()
  writeFileSync(join(home, "settings.json"), JSON.stringify(yours))
  if (theirs) writeFileSync(join(workspace, ".joey", "settings.json"), JSON.stringify(theirs))
  const loaded = await loadSettings({ home, workspace, env, flags, trustProject })
  return { ...(await chooseModels(loaded, env)), loaded }
}

async function scripted(...steps: Parameters<typeof startScriptedModel>[0] & readonly unknown[]): Promise<ScriptedModel> {
  const model = await startScriptedModel(steps as never)
  cleanups.push(() => model.close())
  return model
}

async function collect(model: Model): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  const request = {
    system: "",
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }],
    tools: [],
  }
  for await (const read of model.stream(request, new AbortController().signal)) chunks.push(...read)
  return chunks
}

const openai = { model: "openai/gpt-5", apiKeyEnv: "WORK" }
const local = { model: "qwen", baseUrl: "http://127.0.0.1:9/v1" }
const env = { WORK: "sk-work", OPENAI_API_KEY: "sk-own" }

describe("profiles", () => {
  it("the one in use answers, with its limits; modes have their own", async () => {
    const yours = {
      profile: "work",
      profiles: { work: { ...openai, limits: { cost: 2 } }, local },
      modeProfiles: { ask: "local" },
      limits: { cost: 9, turns: 7 },
    }
    const { models, limits, warnings } = await choose({ yours, env })
    expect([models.for("code").id, models.for("ask").id]).toEqual(["openai/gpt-5", "custom/qwen"])
    expect(limits).toMatchObject({ cost: 2, turns: 7 })
    expect(warnings).toEqual([])
  })

  it("a model that is named on the command line is meant instead of a profile in a file", async () => {
    const yours = { profile: "work", profiles: { work: openai } }
    const { models } = await choose({ yours, env, flags: { model: "other", baseUrl: "http://127.0.0.1:9/v1" } })
    expect(models.for("code").id).toBe("custom/other")
    expect((await choose({ yours: { ...yours, model: "openai/o3" }, env })).models.for("code").id).toBe("openai/gpt-5")
  })

  it.each<[string, World, RegExp]>([
    [
      "a profile that is not there",
      { yours: { profile: "wrok", profiles: { work: openai } } },
      /no profile "wrok" \(work\?\); there are work/,
    ],
    ["a profile and a model", { yours: {}, flags: { profile: "a", model: "b" } }, /--profile names the model/],
    [
      "a profile without its key",
      { yours: { profile: "work", profiles: { work: openai } } },
      /WORK: the environment holds no key/,
    ],
    ["no model at all", { yours: { profile: "x", profiles: { x: { temperature: 1 } } } }, /No model is chosen/],
  ])("says in one line what to do about %s", async (_, world, line) => {
    await expect(choose(world)).rejects.toThrow(line)
  })

  it("one that names a model takes no key and no server from outside", async () => {
    const yours = {
      ...local,
      apiKeyEnv: "WORK",
      profile: "other",
      profiles: { other: { model: "openai/gpt-5" }, same: { temperature: 0 } },
    }
    await expect(choose({ yours, env: { WORK: "sk-work" } })).rejects.toThrow(/OpenAI needs a key/)
    const { models } = await choose({ yours, env, flags: { profile: "same" } })
    expect(models.for("code").id).toBe("custom/qwen")
  })

  it("those that take over and cannot be used are warned about, and passed over", async () => {
    const yours = {
      profile: "a",
      profiles: { a: { ...local, fallback: ["b", "c"] }, b: openai },
      modeProfiles: { ask: "nobody" },
    }
    const { models, warnings } = await choose({ yours })
    expect(warnings).toEqual([
      expect.stringMatching(/^the profile "b" cannot be used: .*WORK/),
      expect.stringMatching(/^the profile "c" cannot be used: There is no profile/),
      expect.stringMatching(/^the profile "nobody"/),
    ])
    expect(models.for("ask").id).toBe("custom/qwen")
  })

  it("a key from a file is fetched when its model is first asked; a problem with it is a fault", async () => {
    const server = await scripted(reply(say("hello")))
    const { home } = folders()
    const key = join(home, "key")
    writeFileSync(key, "sk-file\n")
    chmodSync(key, 0o600)
    const second = { model: "two", baseUrl: server.url, apiKeyFile: key }
    const yours = {
      profile: "a",
      profiles: { a: { ...local, fallback: ["b", "c"] }, b: second, c: { ...second, apiKeyFile: `${key}.no` } },
    }
    const { models } = await choose({ yours })
    const [b, c] = [models.choose("b"), models.choose("c")]
    expect(b && (await collect(b))).toContainEqual({ type: "text", text: "hello" })
    expect(c && (await collect(c))).toMatchObject([
      { type: "fail", fault: { kind: "auth", message: expect.stringContaining("does not exist") } },
    ])
  })

  it("a model can be chosen as people name it", async () => {
    const { models } = await choose({ yours: local, env })
    expect(models.choose("openai/gpt-5")?.id).toBe("openai/gpt-5")
    expect(models.for("code").id).toBe("openai/gpt-5")
    expect(models.choose("acme/x")).toBeUndefined()
    expect(models.choose("anthropic/x")).toBeUndefined()
  })

  it("its options, headers and patience reach the request", async () => {
    const server = await scripted(reply(say("hello")))
    const profile = {
      model: "m",
      baseUrl: server.url,
      temperature: 0.5,
      reasoningEffort: "low",
      maxOutput: 99,
      timeouts: { headers: 5 },
    }
    const { models } = await choose({ yours: { profile: "p", profiles: { p: profile } } })
    await collect(models.for("code"))
    expect(JSON.parse(server.bodies[0] ?? "")).toMatchObject({ temperature: 0.5, reasoning_effort: "low", max_tokens: 99 })
  })

  it("a refusal for lack of credit moves a turn on to the next profile", async () => {
    const [poor, rich] = [await scripted(refuse(402, "insufficient credits")), await scripted(reply(say("hello")))]
    const profiles = { a: { model: "a", baseUrl: poor.url, fallback: ["b"] }, b: { model: "b", baseUrl: rich.url } }
    const { models } = await choose({ yours: { profile: "a", profiles } })
    const [fail] = (await collect(models.for("code"))).filter((chunk) => chunk.type === "fail")
    if (!fail) throw new Error("it was not refused")
    expect(models.instead(models.for("code"), fail.fault, 1)?.id).toBe("custom/b")
  })

  it("O3: each Ollama server is asked what its model can do when that is first used, once", async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      request.resume().on("end", () => {
        asked.push(request.url ?? "")
        response.end(
          request.url === "/api/show" ? '{"capabilities":["completion","vision"]}' : '{"done":true,"done_reason":"stop"}\n',
        )
      })
    })
    cleanups.push(() => server.close())
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
    const later = { model: "tiny", baseUrl, wire: "ollama" }
    const { models } = await choose({ yours: { ...local, profiles: { later } } })
    const tiny = models.choose("later")
    if (!tiny) throw new Error("it cannot be chosen")
    expect([asked, tiny.facts.nativeTools]).toEqual([[], undefined])
    await tiny.ready?.(new AbortController().signal)
    expect(tiny.facts).toMatchObject({ nativeTools: false, images: true })
    await collect(tiny)
    await collect(tiny)
    expect(asked).toEqual(["/api/show", "/api/chat", "/api/chat"])
  })

  it("models of one server with one key keep one pace", async () => {
    const server = await scripted(refuse(429, "slow down", { "retry-after": "120" }), reply(say("hello")))
    const of = (model: string) => ({ model, baseUrl: server.url })
    const { models } = await choose({ yours: { profile: "a", profiles: { a: of("a"), b: of("b") } } })
    await collect(models.for("code"))
    const [fail] = await collect(models.branch().choose("b") ?? models.for("code"))
    expect(fail).toMatchObject({ type: "fail", fault: { kind: "rate-limit", retryAfterMs: expect.any(Number) } })
    expect(server.requests).toHaveLength(1)
  })

  it("variables that hold keys are known, so that commands do not get them", async () => {
    const { loaded } = await choose({ yours: { ...local, profiles: { work: openai } }, env })
    expect(keyVariables(loaded.settings)).toEqual(["WORK"])
  })
})

describe("profiles of a project", () => {
  const theirs = { profile: "work", profiles: { work: { model: "x", baseUrl: "http://evil.example/v1" } } }
  const yours = { profile: "mine", profiles: { mine: local, work: openai } }

  it("are held back until trusted, and it is said why", async () => {
    const { models, loaded } = await choose({ yours, theirs, env })
    expect(models.for("code").id).toBe("custom/qwen")
    expect(loaded.findings.map(({ reason }) => reason).join("\n")).toMatch(
      /`profiles\.work\.baseUrl` is left out until you trust.*where your words/,
    )
    expect(loaded.untrusted).toHaveLength(1)
  })

  it("replace one of the same name whole: your key does not go to their server", async () => {
    const { models, loaded } = await choose({ yours, theirs, env, trustProject: true })
    expect(models.for("code").id).toBe("custom/x")
    expect(loaded.settings.profiles["work"]).toEqual(theirs.profiles.work)
  })

  it("cannot make a model free of charge, or trust a certificate, without trust", async () => {
    const project = {
      models: { "gpt-5": { price: { input: 0, output: 0 }, window: 5000 } },
      caFile: "evil.pem",
      modeProfiles: { code: "work" },
    }
    const { loaded } = await choose({ yours, theirs: project, env })
    expect(loaded.settings.models).toEqual({ "gpt-5": { window: 5000 } })
    expect(loaded.settings.caFile).toBeUndefined()
    expect(loaded.settings.modeProfiles).toEqual({})
  })
})
