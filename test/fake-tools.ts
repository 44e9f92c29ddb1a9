/** Small tools made by hand: one of each effect, one that asks, one that hands in. Their names are theirs alone. */
import type { PersonPorts } from "../src/task/open.ts"
import type { Todo } from "../src/types/show.ts"
import type { Schema, Tool, ToolContext, ToolOutput } from "../src/types/tool.ts"

type Fields = Record<string, string>

/** Every field is a text and required, unless its name ends with a question mark. */
export function textFields(...names: string[]): Schema<Fields> {
  const fields = names.map((name) => name.replace("?", ""))
  return {
    jsonSchema: { type: "object", properties: Object.fromEntries(fields.map((name) => [name, { type: "string" }])) },
    check(value) {
      const given: Record<string, unknown> = { ...(typeof value === "object" ? value : {}) }
      const problems = names.flatMap((name) => {
        const got = given[name.replace("?", "")]
        if (typeof got === "string" || (got === undefined && name.endsWith("?"))) return []
        return [`${name.replace("?", "")}: expected string, got ${got === undefined ? "nothing" : typeof got}`]
      })
      if (problems.length > 0) return { ok: false, problems }
      return { ok: true, value: Object.fromEntries(Object.entries(given).map(([name, field]) => [name, String(field)])) }
    },
  }
}

/** A tool that takes any object, does nothing and says "ok", until told otherwise. */
export function fakeTool(record: Partial<Tool> & { name: string }): Tool {
  return {
    group: "always",
    effect: "none",
    description: `the tool ${record.name}`,
    input: { jsonSchema: { type: "object" }, check: (value) => ({ ok: true, value }) },
    run: async () => ({ say: "ok" }),
    ...record,
  }
}

/** `ran` is told of each run: the tool's name and its first argument. */
export function standardTools(ports: PersonPorts, ran: string[]): Tool[] {
  const noted = (
    name: string,
    run: (input: Fields, context: ToolContext) => Promise<ToolOutput>,
  ): Pick<Tool, "name" | "run"> => ({
    name,
    run: (input: Fields, context) => {
      ran.push(`${name} ${Object.values(input)[0] ?? ""}`.trim())
      return run(input, context)
    },
  })
  return [
    fakeTool({
      ...noted("look", async ({ path = "" }, { host }) => ({ say: Buffer.from(await host.readFile(path)).toString() })),
      aliases: ["view"],
      group: "read",
      effect: "read",
      input: textFields("path"),
      touches: ({ path }) => [path],
      preview: ({ path }) => ({ kind: "title", text: `Look at ${path ?? "…"}` }),
    }),
    fakeTool({
      ...noted("jot", async ({ path = "", content = "" }, { host }) => {
        await host.writeFile(path, content)
        return { say: `Wrote ${path}.` }
      }),
      group: "edit",
      effect: "write",
      input: textFields("path", "content"),
      touches: ({ path }) => [path],
      plan: async ({ path }) => ({ kind: "title", text: `Write ${path}` }),
    }),
    fakeTool({
      ...noted("launch", async ({ command = "" }, { host, signal }) => {
        const { exitCode, ending } = await host.run({ shell: command }, { signal })
        if (ending === "cancelled") signal.throwIfAborted()
        return { say: `exit ${exitCode}` }
      }),
      group: "command",
      effect: "execute",
      input: textFields("command"),
    }),
    fakeTool({ name: "list", run: async ({ todos }: { todos: Todo[] }) => ({ say: "Listed.", show: { kind: "todos", todos } }) }),
    fakeTool({
      ...noted("inquire", async ({ question = "" }, { callKey }) => {
        const answer = await ports.ask(`question:${callKey}`, { kind: "followup", callKey, question, suggestions: [] })
        return { say: answer.kind === "words" ? answer.content : answer.kind }
      }),
      input: textFields("question"),
    }),
    fakeTool({
      ...noted("hand_in", async ({ result = "" }, { callKey }) => {
        const answer = await ports.complete(callKey, result)
        if (answer.accepted) return { say: "Accepted.", accepted: result }
        return { say: [{ type: "text", text: "Not accepted:" }, ...answer.feedback] }
      }),
      settlesLast: true,
      input: textFields("result"),
    }),
  ]
}
