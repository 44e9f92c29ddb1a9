/**
 * An agent that works on purpose: before its first edit it must choose one of the project's intents; from then on it has that
 * intent's constraints in its prompt, can edit only what lies in its scope, and each edit is written into a ledger.
 */
import { createHash } from "node:crypto"
import { appendFile, mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Hook } from "../../src/index.ts"
import { type Intent, isInScope, readIntents } from "./intents.ts"

export interface IntentOptions {
  workspace: string
  /** The id of an intent that was chosen before. */
  chosen?: string
  onChoice?(id: string): Promise<void>
  now?(): Date
}

/** What the model runs to choose: no program, the hook answers in its place. A person chooses with the words `intent: ID`. */
const CHOOSE = /^\s*intent\s+([\w.-]+)\s*$/
const SAID = /^\s*intent:\s*([\w.-]+)\s*$/m
/** Where the rules of this game stand is no place for its player. */
const OWN_FILES = /^\.joey\/(?:intents\.yaml|ledger\.jsonl|intent-[^/]*)$/

export function intentHooks({ workspace, chosen, onChoice, now = () => new Date() }: IntentOptions): Hook {
  let id = chosen

  async function choose(wanted: string): Promise<string> {
    const intents = await readIntents(workspace)
    const intent = intents.find((one) => one.id === wanted)
    if (!intent) return `There is no intent "${wanted}". There are: ${intents.map((one) => one.id).join(", ")}.`
    id = wanted
    await onChoice?.(wanted)
    return `Intent ${wanted} chosen. ${terms(intent)}`
  }

  /** The reason against an edit, if there is one. */
  async function objection(paths: readonly string[]): Promise<string | undefined> {
    const own = paths.find((path) => OWN_FILES.test(path))
    if (own !== undefined) return `${own} belongs to the person.`
    const intents = await readIntents(workspace)
    const intent = intents.find((one) => one.id === id)
    if (!intent) {
      return `Choose an intent before the first edit: run the command \`intent ID\` with one of ${intents.map((one) => one.id).join(", ")}.`
    }
    const outside = paths.filter((path) => !isInScope(intent, path))
    if (outside.length === 0) return undefined
    return `${outside.join(", ")} is outside the scope of the intent ${intent.id} (${intent.scope.join(", ")}).`
  }

  async function record(path: string, tool: string, call: string): Promise<void> {
    const content = await readFile(join(workspace, path)).catch(() => undefined)
    const sha256 = content && createHash("sha256").update(content).digest("hex")
    const entry = { at: now().toISOString(), intent: id, tool, call, path, sha256: sha256 ?? null } // null: deleted
    await mkdir(join(workspace, ".joey"), { recursive: true })
    await appendFile(join(workspace, ".joey", "ledger.jsonl"), `${JSON.stringify(entry)}\n`)
  }

  return {
    name: "intent",
    async beforeTool({ input: { command }, effect, paths }) {
      const [, wanted] = effect === "execute" && typeof command === "string" ? (CHOOSE.exec(command) ?? []) : []
      if (wanted !== undefined) return { decision: { kind: "answer", content: [{ type: "text", text: await choose(wanted) }] } }
      if (effect !== "write") return undefined
      // A guard that breaks must not open the door: its failure is the objection.
      const reason = await objection(paths).catch((error: Error) => error.message)
      return reason === undefined ? undefined : { decision: { kind: "block", reason } }
    },
    async afterTool({ effect, paths, tool, key }, { kind }) {
      if (effect === "write" && kind === "done") for (const path of paths) await record(path, tool, key)
      return undefined
    },
    async beforePrompt(sections) {
      const intents = await readIntents(workspace)
      const intent = intents.find((one) => one.id === id)
      const text = intent ? `You work on the intent ${intent.id}. ${terms(intent)}` : choices(intents)
      return [...sections, { name: "intent", text: `INTENT\n\n${text}` }]
    },
    async userMessage(text) {
      const [, wanted] = SAID.exec(text) ?? []
      return wanted === undefined ? undefined : { notes: [await choose(wanted)] }
    },
  }
}

function terms({ title, scope, constraints }: Intent): string {
  return [`${title}. Edit only: ${scope.join(", ")}`, ...constraints].join("\n- ")
}

function choices(intents: readonly Intent[]): string {
  const lines = intents.map(({ id, title }) => `- ${id}: ${title}`)
  return ["Before your first edit choose what your work is for: run the command `intent ID`.", ...lines].join("\n")
}
