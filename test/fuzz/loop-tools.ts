/** Tools of every effect that do nothing but note that they ran, and then behave in any way a tool can behave. */
import type { PersonPorts } from "../../src/task/open.ts"
import type { JsonObject } from "../../src/types/json.ts"
import { type Effect, type Tool, type ToolContext, ToolError, type ToolOutput } from "../../src/types/tool.ts"
import { fakeTool } from "../fake-tools.ts"
import type { Random } from "../random.ts"
import type { Moments } from "./loop-moments.ts"

/** What a tool tells the world around it. */
export interface Witness {
  chance: Random
  time: Moments
  begins(callKey: string, tool: string, input: unknown): void
  /** However it ended. */
  ends(callKey: string): void
  /** Now the effect is there. */
  takesEffect(callKey: string, effect: Effect): void
}

export const TOOL_EFFECTS: Readonly<Record<string, Effect>> = {
  look: "read",
  look_up: "read",
  jot: "write",
  launch: "execute",
  fetch_page: "network",
  note: "none",
}
export const ASKING = "inquire"
export const COMPLETING = "hand_in"
const ALIASES: Readonly<Record<string, string[]>> = { look: ["view"], jot: ["scribble"] }

export function countingTools(witness: Witness, ports: PersonPorts): Tool[] {
  const plain = Object.entries(TOOL_EFFECTS).map(([name, effect]) => countingTool(witness, name, effect))
  const asking = fakeTool({
    name: ASKING,
    async run(_input: JsonObject, { callKey }) {
      const answer = await ports.ask(`question:${callKey}`, { kind: "followup", callKey, question: "Which?", suggestions: [] })
      return { say: answer.kind === "words" ? answer.content : answer.kind }
    },
  })
  const completing = fakeTool({
    name: COMPLETING,
    settlesLast: true,
    async run(_input: JsonObject, { callKey }) {
      const answer = await ports.complete(callKey, "the result")
      return answer.accepted ? { say: "Accepted.", accepted: "the result" } : { say: answer.feedback }
    },
  })
  return [...plain, asking, completing]
}

function countingTool(witness: Witness, name: string, effect: Effect): Tool {
  const { chance, time } = witness
  return fakeTool({
    name,
    aliases: ALIASES[name] ?? [],
    effect,
    input: { jsonSchema: { type: "object" }, check: checkPath },
    touches: ({ path }: JsonObject) => (typeof path === "string" ? [path] : []),
    preview: ({ path }: JsonObject) => ({ kind: "title", text: `${name} ${String(path)}` }),
    ...(effect === "write" && {
      async plan() {
        await time.tick()
        if (chance.chance(0.1)) throw new ToolError("It cannot be planned.")
        return { kind: "title", text: "the plan" }
      },
    }),
    async run(input: JsonObject, context) {
      const { callKey } = context
      witness.begins(callKey, name, input)
      try {
        await time.tick()
        witness.takesEffect(callKey, effect)
        await time.tick()
        return await behave(witness, context)
      } finally {
        witness.ends(callKey)
      }
    },
  })
}

function checkPath(value: unknown): ReturnType<Tool["input"]["check"]> {
  const path = (value as JsonObject)["path"]
  if (path === undefined || typeof path === "string") return { ok: true, value }
  return { ok: false, problems: ["path: expected string"] }
}

async function behave({ chance, time }: Witness, { signal, progress }: ToolContext): Promise<ToolOutput> {
  const way = chance.int(0, 11)
  if (way === 0) throw new ToolError("It cannot be done.")
  if (way === 1) throw new Error("a defect")
  if (way === 2) return JSON.parse(chance.pick(["null", "{}", '{"say":""}', '{"say":[]}', '{"say":[1,2]}', '{"say":7}']))
  if (way === 3) return { say: [{ type: "image", mediaType: "image/png", data: "AAAA" }] }
  if (way === 4) signal.throwIfAborted()
  if (way === 5) await time.hold(signal)
  if (way === 6) progress({ kind: "title", text: "half done" })
  if (way === 7) return { say: "Listed.", show: { kind: "todos", todos: [{ text: "one", status: "pending" }] } }
  return { say: "ok", show: { kind: "title", text: "done" } }
}
