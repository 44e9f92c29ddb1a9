/** The station as a whole: a fold of the task's events, so that it judges alike after a restart. */
import { expect, it } from "vitest"
import type { DurableEvent } from "../types/event.ts"
import type { ReceivedCall } from "../types/message.ts"
import { DEFAULT_AUTO_APPROVE } from "../types/settings.ts"
import type { Judged } from "../types/stations.ts"
import { DEFAULT_LIMITS } from "./limits.ts"
import { accessTo, type CommandAccess, createPolicy, type PolicySettings } from "./policy.ts"
import { DEFAULT_REPETITION } from "./repetition.ts"
import { NO_RULES } from "./rules.ts"
import { inside, PLACES, rulesOf } from "./test-call.ts"

const SETTINGS: PolicySettings = { approval: "default", limits: DEFAULT_LIMITS, repetition: DEFAULT_REPETITION }
const write: Judged = {
  tool: "jot",
  names: ["jot"],
  group: "edit",
  effect: "write",
  mode: "code",
  paths: [],
  commands: [],
  addresses: [],
  digest: "d",
}

function policyAfter(events: DurableEvent[], settings: Partial<PolicySettings> = {}) {
  const policy = createPolicy({ ...SETTINGS, ...settings }, () => 0)
  for (const [index, event] of events.entries()) policy.see({ seq: index + 1, at: "2026-01-01T00:00:00.000Z", ...event })
  return policy
}

async function asked(id: string): Promise<DurableEvent> {
  const verdict = await policyAfter([]).judge(write)
  if (verdict.verdict !== "ask") throw new Error("not asked")
  const { reason, always } = verdict
  return {
    type: "asked",
    id,
    question: { kind: "approve", callKey: "k", tool: "jot", digest: "d", reason, show: { kind: "title", text: "" }, always },
  }
}

const replied = (...calls: ReceivedCall[]): DurableEvent => ({
  type: "replied",
  turn: 1,
  end: "stop",
  message: { role: "assistant", model: "m", parts: calls.map((call) => ({ type: "call", call })) },
})
const look = (key: string): ReceivedCall => ({ key, id: key, name: "look", input: { path: "a" } })

it("S28: a grant comes from a yes with always to a question that was asked, from nothing else", async () => {
  const yes = (id: string, always?: "task"): DurableEvent => ({
    type: "answered",
    id,
    by: "me",
    answer: { kind: "yes", ...(always && { always }) },
  })
  const question = await asked("q")
  const word = async (...events: DurableEvent[]) => (await policyAfter(events).judge(write)).verdict
  expect(await word(question, yes("q", "task"))).toBe("allow")
  expect(await word(question, yes("q"))).toBe("ask")
  expect(await word(yes("q", "task"))).toBe("ask")
  expect(await word(question, yes("other", "task"))).toBe("ask")
  expect(await word(question, { type: "answered", id: "q", by: "me", answer: { kind: "no" } })).toBe("ask")
})

it("S26: repeated calls are found across turns, with the response that was set", () => {
  const events = ["1", "2", "3", "4"].map((key) => replied(look(key)))
  expect(policyAfter(events).repeated(look("4"))).toEqual({ times: 4, response: "ask" })
  expect(policyAfter(events).repeated(look("3"))).toBeUndefined()
  // biome-ignore lint/suspicious/noThenProperty: the setting is named so; it is data and never awaited.
  const refusing = policyAfter([replied(look("1"), look("2"))], { repetition: { limit: 1, then: "refuse" } })
  expect(refusing.repeated(look("2"))).toEqual({ times: 2, response: "refuse" })
})

it("S27: limits are reached by what was recorded", () => {
  const turn: DurableEvent = { type: "turn-started", turn: 1 }
  expect(policyAfter([turn], { limits: { ...DEFAULT_LIMITS, turns: 1 } }).limitReached()).toMatchObject({ limit: "turns" })
  expect(policyAfter([turn]).limitReached()).toBeUndefined()
})

it("S28: always for the project is remembered once, when it is answered, and holds in the task whatever becomes of it", async () => {
  const kept: string[] = []
  const question = await asked("q")
  const answered: DurableEvent = { type: "answered", id: "q", by: "me", answer: { kind: "yes", always: "project" } }
  const folded = async (now: number) => {
    const policy = createPolicy({ ...SETTINGS, remember: (grant) => kept.push(grant) }, () => now)
    for (const [index, event] of [question, answered].entries())
      policy.see({ seq: index + 1, at: new Date(5_000).toISOString(), ...event })
    return (await policy.judge(write)).verdict
  }
  expect(await folded(4_000)).toBe("allow")
  expect(kept).toEqual(["tool:jot:write"])
  expect(await folded(6_000)).toBe("allow") // read from the log: the person may have taken it back since
  expect(kept).toHaveLength(1)
})

it("S28: what was remembered for the folder holds in its tasks", async () => {
  expect((await policyAfter([], { remembered: new Set(["tool:jot:write"]) }).judge(write)).verdict).toBe("allow")
})

it("rules and toggles are those of the settings as they are now, and a verdict carries nothing but itself", async () => {
  let access = { autoApprove: DEFAULT_AUTO_APPROVE, rules: NO_RULES }
  const policy = policyAfter([], { access: () => access })
  expect((await policy.judge(write)).verdict).toBe("ask")
  access = { ...access, rules: rulesOf({ allow: ["jot"] }) }
  expect(await policy.judge(write)).toEqual({ verdict: "allow", reason: "allowed by the rule jot in .joey/settings.json:1" })
  access = { ...access, rules: rulesOf({ deny: ["jot"] }) }
  expect((await policy.judge(write)).verdict).toBe("deny")
})

it("commands are judged with the rules about paths, and nothing is loaded for what runs none", async () => {
  const lines: string[] = []
  const commands: CommandAccess = {
    ...PLACES,
    locate: async (path) => inside(path),
    async judgeCommand({ line }, rules, ports) {
      lines.push(`${line} ${rules.length} ${ports.workspace} ${ports.isCredential("/home/me/.ssh/x")} ${ports.readOnlyCommands}`)
      return { verdict: "allow", reason: "known", grave: false, parts: [] }
    },
  }
  const policy = policyAfter([], {
    commands,
    access: () => ({ autoApprove: DEFAULT_AUTO_APPROVE, rules: rulesOf({ allow: ["Bash(a *)"] }) }),
  })
  await policy.judge(write)
  await policy.judge({ ...write, effect: "execute", commands: [{ line: "a b" }] })
  expect(lines).toEqual(["a b 1 /project true true"])
})

it("rules are compiled once for the same settings, and again for others", () => {
  const load = (deny: string[]) => ({
    settings: {
      permissions: { allow: [], ask: [], deny },
      allowedCommands: [],
      deniedCommands: [],
      autoApprove: DEFAULT_AUTO_APPROVE,
    },
    origins: {},
  })
  let loaded = load(["Read(a"])
  const access = accessTo(() => loaded, PLACES)
  const first = access()
  expect(first.findings).toHaveLength(1)
  expect(access()).toBe(first)
  loaded = load(["Read(b)"])
  expect(access().rules.rules.map(({ text }) => text)).toEqual(["Read(b)"])
})
