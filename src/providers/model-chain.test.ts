import { describe, expect, it } from "vitest"
import type { Fault, FaultKind } from "../types/fault.ts"
import type { Model } from "../types/model.ts"
import { type ChainProfile, modelChain } from "./model-chain.ts"

const facts = { known: true, window: 1, images: false, edits: "blocks" } as const
const model = (id: string): Model => ({ id, facts, endsSilently: false, stream: async function* () {} })
const fault = (kind: FaultKind, retryAfterMs?: number): Fault => ({
  kind,
  message: "",
  retryable: true,
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})

function world(byMode: Record<string, string> = {}) {
  const profiles: Record<string, ChainProfile> = {
    first: { model: model("v/first"), fallback: ["second", "nobody", "third"] },
    second: { model: model("v/second"), fallback: [] },
    third: { model: model("v/third"), fallback: [] },
  }
  const clock = { ms: 1_000 }
  const opened: string[] = []
  const open = (name: string) => {
    opened.push(name)
    return profiles[name]
  }
  const models = modelChain({ first: "first", open, byMode, now: () => clock.ms })
  return { models, clock, opened }
}

describe("a chain of models", () => {
  it("goes on with the next when the account has no credit, and comes back after half an hour", () => {
    const { models, clock } = world()
    const first = models.for("code")
    expect(models.instead(first, fault("quota"), 1)?.id).toBe("v/second")
    expect(models.for("code").id).toBe("v/second")
    clock.ms += 31 * 60_000
    expect(models.for("code").id).toBe("v/first")
  })

  it.each<FaultKind>(["rate-limit", "overloaded", "server", "network", "timeout"])(
    "tries once more before a %s moves it on",
    (kind) => {
      const { models } = world()
      const first = models.for("code")
      expect(models.instead(first, fault(kind), 1)).toBeUndefined()
      expect(models.instead(first, fault(kind), 2)?.id).toBe("v/second")
    },
  )

  it("does not wait for one that is to come back late, and lets it rest for as long", () => {
    const { models, clock } = world()
    expect(models.instead(models.for("code"), fault("rate-limit", 300_000), 1)?.id).toBe("v/second")
    clock.ms += 299_000
    expect(models.for("code").id).toBe("v/second")
    clock.ms += 2_000
    expect(models.for("code").id).toBe("v/first")
  })

  it.each<FaultKind>(["auth", "bad-request", "context-overflow", "content-filter", "model-not-found", "cut-off", "not-a-model"])(
    "leaves a %s to the person",
    (kind) => {
      const { models } = world()
      expect(models.instead(models.for("code"), fault(kind), 9)).toBeUndefined()
    },
  )

  it("passes over profiles that cannot be used, and keeps the last one when all have failed", () => {
    const { models } = world()
    const [first, second] = [models.for("code"), models.instead(models.for("code"), fault("quota"), 1)]
    expect(second?.id).toBe("v/second")
    const third = models.instead(second ?? first, fault("quota"), 1)
    expect(third?.id).toBe("v/third")
    expect(models.instead(third ?? first, fault("quota"), 1)).toBeUndefined()
    expect(models.for("code").id).toBe("v/third")
  })

  it("has a profile for a mode, and the first where that cannot be used", () => {
    const { models } = world({ architect: "third", ask: "nobody" })
    expect(["code", "architect", "ask", "constructor"].map((mode) => models.for(mode).id)).toEqual([
      "v/first",
      "v/third",
      "v/first",
      "v/first",
    ])
  })

  it("takes the person's choice in every mode, and none that is not there", () => {
    const { models } = world({ architect: "third" })
    expect(models.choose("nobody")).toBeUndefined()
    expect(models.choose("second")?.id).toBe("v/second")
    expect(models.for("architect").id).toBe("v/second")
  })

  it("who rests is tried again when the person asks for it by name", () => {
    const { models } = world()
    models.instead(models.for("code"), fault("quota"), 1)
    expect(models.for("code").id).toBe("v/second")
    expect([models.choose("first")?.id, models.for("code").id]).toEqual(["v/first", "v/first"])
  })

  it("branches share what is opened and who rests, not what is chosen; one begins with what was chosen by then", () => {
    const { models, opened } = world()
    models.choose("second")
    const branch = models.branch()
    expect(branch.for("code")).toBe(models.for("code"))
    branch.choose("first")
    expect([models.for("code").id, branch.for("code").id]).toEqual(["v/second", "v/first"])
    branch.instead(branch.for("code"), fault("quota"), 1)
    expect([models.branch().for("code").id, branch.for("code").id]).toEqual(["v/second", "v/second"])
    expect(opened.filter((name) => name === "second")).toHaveLength(1)
  })

  it("opens each profile once, and only those that are wanted", () => {
    const { models, opened } = world({ architect: "third" })
    models.for("architect")
    models.for("architect")
    expect(opened).toEqual(["third"])
  })
})
