/** S9, S10: the whole way with a model that writes nothing but text: every tool called as tags, each result told as text. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type ChatRequest, textOf } from "../../src/scripted-model/chat-request.ts"
import { call, reply, say } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { place } from "./joey.ts"

/** What the model writes, reply by reply. */
const WRITTEN = [
  "I look first.\n<list_files>\n<path>.</path>\n</list_files>",
  "<read_file>\n<path>a.txt</path>\n</read_file>\n<search_files>\n<path>.</path>\n<regex>two</regex>\n</search_files>",
  "<update_todo_list>\n<todos>[ ] write\n[ ] check</todos>\n</update_todo_list>",
  '<write_to_file>\n<path>b.txt</path>\n<content>if (a < b) { say("</p>") }\n</content>\n</write_to_file>',
  "<apply_diff>\n<path>a.txt</path>\n<diff>\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n</diff>\n</apply_diff>",
  "<apply_patch>\n<patch>*** Begin Patch\n*** Add File: c.txt\n+new\n*** End Patch</patch>\n</apply_patch>",
  "<search_and_replace>\n<file_path>a.txt</file_path>\n<old_string>one</old_string>\n<new_string>1</new_string>\n</search_and_replace>",
  "<search_replace>\n<file_path>a.txt</file_path>\n<old_string>three</old_string>\n<new_string>3</new_string>\n</search_replace>",
  "<edit_file>\n<file_path>c.txt</file_path>\n<old_string>new</old_string>\n<new_string>newer</new_string>\n</edit_file>",
  "<execute_command>\n<command>cat a.txt && echo ran >> effects.txt</command>\n</execute_command>",
  "<read_command_output>\n</read_command_output>",
  "Only shown, not run:\n```\n<execute_command>\n<command>echo bad >> effects.txt</command>\n</execute_command>\n```\n<switch_mode>\n<mode_slug>debug</mode_slug>\n<reason>to see</reason>\n</switch_mode>",
  "<attempt_completion>\n<result>All of them work.</result>\n</attempt_completion>",
]

describe("a task locked to tags", () => {
  it("S9, S10: runs the tool suite over text alone, and keeps the lock when it goes on without the setting", async () => {
    const requests: ChatRequest[] = []
    const model = await startScriptedModel((request) => {
      requests.push(request)
      const turn = request.messages.filter(({ role }) => role === "assistant").length
      return reply(say(WRITTEN[turn] ?? "That was all."))
    })
    const here = place({ "a.txt": "one\ntwo\nthree\n" })
    mkdirSync(here.home, { recursive: true })
    writeFileSync(join(here.home, "settings.json"), JSON.stringify({ toolProtocol: "xml" }))
    const target = ["--base-url", model.url, "--model", "scripted", "--yes"]
    const done = await here.run([...target, "try every tool"])
    expect(done.code, done.stdout + done.stderr).toBe(0)

    const finished = here.log().filter((event) => event.type === "call-finished")
    expect(finished.map(({ tool, result }) => `${tool} ${result}`)).toEqual([
      ...["list_files", "read_file", "search_files", "update_todo_list", "write_to_file", "apply_diff", "apply_patch"].map(ok),
      ...["search_and_replace", "search_replace", "edit_file", "execute_command", "read_command_output"].map(ok),
      ...["switch_mode", "attempt_completion"].map(ok),
    ])
    expect(here.read("a.txt")).toBe("1\n2\n3\n")
    expect(here.read("b.txt")).toBe('if (a < b) { say("</p>") }') // a line break at either end belongs to the tag
    expect(here.read("c.txt")).toBe("newer\n")
    expect(here.read("effects.txt")).toBe("ran\n")
    expect(here.log()[0]).toMatchObject({ type: "task-started", protocol: "xml" })

    const [first] = requests
    expect(first?.tools).toBeUndefined()
    expect(textOf(first?.messages[0])).toMatch(/# Tools\n[\s\S]*# Calling tools\n[\s\S]*## read_file\n/)
    expect(requests.every(({ messages }) => messages.every(({ role }) => role !== "tool"))).toBe(true)

    writeFileSync(join(here.home, "settings.json"), "{}")
    const more = await here.run([...target, "--continue", "and now?"])
    await model.close()
    expect(more.code, more.stdout + more.stderr).toBe(0)
    expect(requests.at(-1)?.tools).toBeUndefined()
    expect(model.problems).toEqual([])
  })
})

describe("a native task", () => {
  it("S5, A11: arguments that came as this tool's tags, all of them closed, are read as such", async () => {
    const tags = "<parameter=path>b.txt</parameter><parameter=content>B</parameter>"
    const model = await startScriptedModel([
      reply({ call: "write_to_file", raw: tags }),
      reply(call("attempt_completion", { result: "Done." })),
    ])
    const here = place()
    const done = await here.run(["--base-url", model.url, "--model", "scripted", "--yes", "write it"])
    await model.close()
    expect(done.code, done.stdout + done.stderr).toBe(0)
    expect(here.read("b.txt")).toBe("B")
    expect(model.problems).toEqual([])
  })
})

function ok(tool: string): string {
  return `${tool} done`
}
