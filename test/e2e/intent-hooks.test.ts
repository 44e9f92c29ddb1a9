/** The example of intents, and hooks that are commands, in whole tasks against a scripted model on a real port. */
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { build } from "esbuild"
import { describe, expect, it, onTestFinished } from "vitest"
import { intentHooks } from "../../examples/intent-hooks/intent-hooks.ts"
import { isInScope, readIntents } from "../../examples/intent-hooks/intents.ts"
import { createTask, type TaskOptions } from "../../src/index.ts"
import { chooseModel, connectModel } from "../../src/providers/connect.ts"
import { call, type Reply, reply, say } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { isDurable, type Recorded } from "../../src/types/event.ts"

const INTENTS = `intents:
  - id: BILLING-7
    title: Round invoices to cents
    scope: ["src/billing/**", "README.md"]
    constraints:
      - Amounts are integers of cents.
  - id: DOCS-1
    title: Mend the handbook
    scope: ["docs/**/*.md"]
`
const done = reply(call("attempt_completion", { result: "Done." }))
const write = (path: string, content = "x\n") => call("write_to_file", { path, content })

function folderWith(files: Record<string, string>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "joey-intents-")))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

interface Played {
  workspace: string
  events: Recorded[]
  /** The system prompt of each request. */
  prompts: string[]
  /** What the model was told last, of each request. */
  told: string[]
}

async function play(
  replies: Reply[],
  files: Record<string, string>,
  hooks: TaskOptions["hooks"] | "intents",
  words = "Go.",
): Promise<Played> {
  const model = await startScriptedModel(replies)
  const root = folderWith({ "home/settings.json": files["settings.json"] ?? "{}", ...within("work", files) })
  const chosen = chooseModel({ baseUrl: model.url, model: "m" }, {})
  if (!chosen.ok) throw new Error(chosen.problem)
  const workspace = join(root, "work")
  const task = await createTask({
    workspace,
    home: join(root, "home"),
    model: connectModel(chosen.target),
    settings: { approval: "yes" },
    hooks: hooks === "intents" ? [intentHooks({ workspace })] : (hooks ?? []),
  })
  const events: Recorded[] = []
  task.send({ type: "say", content: [{ type: "text", text: words }] })
  for await (const event of task.events()) {
    if (isDurable(event)) events.push(event)
    if (event.type === "asked") task.send({ type: "answer", question: event.id, answer: { kind: "yes" }, by: "test" })
    if (event.type === "task-finished") break
  }
  await task.close()
  await model.close()
  expect(model.problems).toEqual([])
  const texts = model.requests.map(({ messages }) => messages.map(({ content }) => JSON.stringify(content ?? "")))
  return { workspace, events, prompts: texts.map(([first = ""]) => first), told: texts.map((all) => all.at(-1) ?? "") }
}

function within(folder: string, files: Record<string, string>): Record<string, string> {
  const { "settings.json": _, ...rest } = files
  return Object.fromEntries([[`${folder}/.keep`, ""], ...Object.entries(rest).map(([path, text]) => [`${folder}/${path}`, text])])
}

/** As one file of JavaScript: to translate it at each of its many starts would take longer than all the rest. */
async function bundled(path: string): Promise<string> {
  const outfile = join(folderWith({}), "command.mjs")
  const alias = { yaml: resolve("node_modules/yaml/browser/index.js") } // its form for Node cannot be bundled
  await build({ entryPoints: [path], outfile, alias, bundle: true, platform: "node", format: "esm", logLevel: "silent" })
  return outfile
}

const results = ({ events }: Played) => events.flatMap((event) => (event.type === "call-finished" ? [event.result] : []))
const ledger = ({ workspace }: Played) =>
  readFileSync(join(workspace, ".joey/ledger.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

describe("the example of intents", () => {
  it("S51 S52 S53: no edit before an intent is chosen, its constraints in the prompt, only its scope, each edit in the ledger", async () => {
    const played = await play(
      [
        reply(write("src/billing/round.ts")),
        reply(call("execute_command", { command: "intent NOPE" })),
        reply(call("execute_command", { command: "intent BILLING-7" })),
        reply(write("src/billing/round.ts", "export const cents = 1\n"), write("src/other.ts"), write(".joey/ledger.jsonl")),
        done,
      ],
      { ".joey/intents.yaml": INTENTS },
      "intents",
    )
    expect(results(played)).toEqual(["denied", "done", "done", "done", "denied", "denied", "done"])
    expect(played.told[1]).toContain("one of BILLING-7, DOCS-1")
    expect(played.told[2]).toContain("There is no intent")
    expect(played.told[3]).toContain("integers of cents")
    expect(played.prompts.map((prompt) => prompt.includes("integers of cents"))).toEqual([false, false, false, true, true])
    expect(played.prompts[0]).toContain("DOCS-1: Mend the handbook")
    expect(played.told[4]).toContain(".joey/ledger.jsonl belongs to the person")
    const content = readFileSync(join(played.workspace, "src/billing/round.ts"))
    expect(ledger(played)).toMatchObject([
      { intent: "BILLING-7", path: "src/billing/round.ts", sha256: createHash("sha256").update(content).digest("hex") },
    ])
    expect(() => readFileSync(join(played.workspace, "src/other.ts"))).toThrow()
  })

  it("S51 S52 S53: does the same as a command in the settings", async () => {
    const command = `env -u NODE_EXTRA_CA_CERTS node ${await bundled("examples/intent-hooks/intent-command.ts")}`
    const every = (matcher: string) => [{ matcher, hooks: [{ command, mustSucceed: true }] }]
    const hooks = { BeforePrompt: every("*"), PreToolUse: every("Bash|Edit|Write"), PostToolUse: every("Edit|Write") }
    const played = await play(
      [
        reply(write("README.md")),
        reply(call("execute_command", { command: "intent BILLING-7" })),
        reply(write("README.md", "new\n")),
        reply(write("src/other.ts")),
        done,
      ],
      { ".joey/intents.yaml": INTENTS, "settings.json": JSON.stringify({ hooks }) },
      [],
    )
    expect(results(played)).toEqual(["denied", "done", "done", "denied", "done"])
    expect(played.told[2]).toContain("Intent BILLING-7 chosen")
    expect(played.prompts.map((prompt) => prompt.includes("integers of cents"))).toEqual([false, false, true, true, true])
    expect(ledger(played)).toMatchObject([{ intent: "BILLING-7", tool: "Write", path: "README.md" }])
  }, 60_000)

  it("the person chooses in their words", async () => {
    const played = await play(
      [reply(write("docs/a.md")), done],
      { ".joey/intents.yaml": INTENTS },
      "intents",
      "Mend it.\nintent: DOCS-1",
    )
    expect(results(played)).toEqual(["done", "done"])
    expect(ledger(played)).toMatchObject([{ intent: "DOCS-1", path: "docs/a.md" }])
  })

  it("without a list of intents nothing can be edited, and the reason is told", async () => {
    const lists = ["intents: []", "intents:\n  - id: a b", "- just a list", ": : :"]
    for (const files of [{}, ...lists.map((text) => ({ ".joey/intents.yaml": text }))]) {
      const played = await play([reply(write("a.md")), done], files, "intents")
      expect(results(played)[0]).toBe("denied")
      expect(played.told[1]).toContain("intents.yaml")
    }
  })

  it("reads scopes as globs", async () => {
    const [billing, docs] = await readIntents(folderWith({ ".joey/intents.yaml": INTENTS }))
    if (!billing || !docs) throw new Error("no intents")
    const paths = [
      "src/billing/a/b.ts",
      "src/billingx/a.ts",
      "README.md",
      "docs/README.md",
      "docs/a/b.md",
      "docs/a.txt",
      "/etc/passwd",
    ]
    expect(paths.filter((path) => isInScope(billing, path))).toEqual(["src/billing/a/b.ts", "README.md"])
    expect(paths.filter((path) => isInScope(docs, path))).toEqual(["docs/README.md", "docs/a/b.md"])
  })
})

describe("commands as hooks, in a whole task", () => {
  const settings = (value: object) => ({ "settings.json": JSON.stringify(value) })

  it("S51: a hook written for another agent blocks a write by its path, and lets another pass", async () => {
    const command = `node -e 'let t="";process.stdin.on("data",d=>t+=d).on("end",()=>{const {tool_name,tool_input}=JSON.parse(t);if(tool_name==="Write"&&tool_input.file_path.endsWith(".lock")){console.error("lock files are made by tools");process.exit(2)}})'`
    const played = await play(
      [reply(write("a.lock")), reply(write("a.txt")), done],
      settings({ hooks: { PreToolUse: [{ matcher: "Edit|Write|MultiEdit", hooks: [{ type: "command", command }] }] } }),
      [],
    )
    expect(results(played)).toEqual(["denied", "done", "done"])
    expect(played.told[1]).toContain("lock files are made by tools")
  })

  it("S51: calls reach a hook under the names and arguments other agents have", async () => {
    const diff = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE"
    const played = await play(
      [
        reply(
          call("read_file", { path: "a.txt" }),
          call("search_files", { path: ".", regex: "o.d" }),
          call("list_files", { path: "." }),
        ),
        reply(call("apply_diff", { path: "a.txt", diff })),
        done,
      ],
      { "a.txt": "old\n", ...settings({ hooks: { PreToolUse: [{ hooks: [{ command: "cat >> told" }] }] } }) },
      [],
    )
    const told = readFileSync(join(played.workspace, "told"), "utf8")
    const calls = new Map(
      told
        .trimEnd()
        .split("\n")
        .map((line) => [JSON.parse(line).tool_name, JSON.parse(line).tool_input]),
    )
    const file = join(played.workspace, "a.txt")
    expect(calls.get("Read")).toMatchObject({ file_path: file })
    expect(calls.get("Grep")).toMatchObject({ pattern: "o.d", path: "." })
    expect(calls.get("LS")).toMatchObject({ path: "." })
    expect(calls.get("Edit")).toMatchObject({ file_path: file, old_string: "old", new_string: "new" })
  })

  it("S51 S52: a hook rewrites a command before it runs, and another annotates its result", async () => {
    const rewrite = `cat >/dev/null; echo '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"command":"echo rewritten"}}}'`
    const annotate = `cat >/dev/null; echo '{"hookSpecificOutput":{"additionalContext":"seen by the hook"}}'`
    const played = await play(
      [reply(call("execute_command", { command: "echo original" })), done],
      settings({
        hooks: {
          PreToolUse: [{ matcher: "Bash", hooks: [{ command: rewrite }] }],
          PostToolUse: [{ matcher: "Bash", hooks: [{ command: annotate }] }],
        },
      }),
      [],
    )
    expect(played.told[1]).toContain("rewritten")
    expect(played.told[1]).toContain("seen by the hook")
    expect(results(played)).toEqual(["done", "done"])
  })

  it("a result is refused once by a Stop hook, and what broke is a notice", async () => {
    const played = await play(
      [done, reply(say("Then this."), call("attempt_completion", { result: "Done at last." }))],
      settings({
        hooks: {
          Stop: [
            {
              hooks: [
                { command: "[ -e tested ] || { touch tested; echo 'run the tests first' >&2; exit 2; }" },
                { command: "exit 9", name: "broken" },
              ],
            },
          ],
        },
      }),
      [],
    )
    expect(played.told[1]).toContain("run the tests first")
    expect(results(played)).toEqual(["failed", "done"])
    const notices = played.events.flatMap((event) => (event.type === "notice" ? [event.text] : []))
    expect(notices).toContain("The hook broken failed: exit code 9")
  })

  it("checks after an edit tell the model what is new", async () => {
    const played = await play(
      [reply(write("a.txt", "bad\n")), done],
      settings({ checks: [{ glob: "*.txt", command: "grep -n bad {file} && exit 1 || exit 0" }] }),
      [],
    )
    expect(played.told[1]).toContain("since this edit")
    expect(played.told[1]).toContain("1:bad")
  })

  it("S54: an embedder's hook stands around the run", async () => {
    const hook = {
      name: "around",
      wrap: async (_: unknown, next: () => Promise<{ say: unknown }>) => ({
        say: `wrapped: ${JSON.stringify((await next()).say)}`,
      }),
    }
    const played = await play([reply(write("a.txt")), done], {}, [hook])
    expect(played.told[1]).toContain("wrapped:")
  })
})
