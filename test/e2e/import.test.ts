/** `joey import roo`, from the built command: what it lists, brings over and says, and that what came over goes on as any task does. */
import { mkdirSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import type { ChatRequest } from "../../src/scripted-model/chat-request.ts"
import { reply, say } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { NATIVE_ID, nativeTask, type RooFiles, TAGGED_ID, taggedTask, writeRooTask } from "../fixtures/roo/tasks.ts"
import { type Place, place } from "./joey.ts"

const STORAGE = ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks"
const ESCAPE = "\u001b"

/** A person with tasks of Roo in the usual place, whose folder is the workspace. */
function person({ home, workspace }: Place, tasks: Record<string, RooFiles>): { tasks: string; env: Record<string, string> } {
  const folder = join(dirname(home), "person")
  mkdirSync(folder)
  for (const [id, files] of Object.entries(tasks)) {
    writeRooTask(join(folder, STORAGE), id, { ...files, item: { task: "Say hello", ...(files.item as object), workspace } })
  }
  return { tasks: join(folder, STORAGE), env: { HOME: folder, XDG_CONFIG_HOME: "" } }
}

it("lists and imports what stands in the usual places, once, with one line for what is damaged", async () => {
  const here = place()
  const { env } = person(here, {
    [NATIVE_ID]: nativeTask,
    [TAGGED_ID]: taggedTask,
    broken: { history: '[{"role":"user"', item: { task: `Clear${ESCAPE}[2J the screen` } },
  })
  const listed = await here.run(["import", "roo", "--list"], { env })
  expect(listed).toMatchObject({ code: 0, stderr: "" })
  expect(listed.stdout).toContain(`${NATIVE_ID}  2026-03-14`)
  expect(listed.stdout).toContain(`  Repair the price\n  ${here.workspace}\n`)
  expect(listed.stdout).toMatch(/3 tasks; /)
  expect(listed.stdout).not.toContain(ESCAPE)

  const first = await here.run(["import", "roo"], { env })
  expect(first.code).toBe(1)
  expect(first.stdout).toMatch(/^20260314-092653589-[0-9a-f]{6} {2}Repair the price$/m)
  expect(first.stdout).toMatch(/^20260313-092653589-[0-9a-f]{6} {2}Say hello$/m)
  expect(first.stdout).toMatch(/\n2 tasks imported, 1 could not be\.\n$/)
  expect(first.stderr).toBe("joey: broken: its conversation is damaged at byte 15 (it breaks off).\n")
  const ids = readdirSync(join(here.home, "tasks"))
  expect(ids).toHaveLength(2)

  const second = await here.run(["import", "roo", NATIVE_ID.slice(0, 13)], { env })
  expect(second).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringMatching(/\(imported before\)\n0 tasks imported, 1 imported before\.\n$/),
  })
  expect(readdirSync(join(here.home, "tasks")).filter((name) => !name.startsWith("."))).toEqual(ids)

  const tasks = await here.run(["tasks"], { env })
  expect(tasks.stdout).toMatch(/\$0\.0350 {2}accepted {2}debug · claude-sonnet-4\n {2}Repair the price\n/)
  const exported = await here.run(["export", ids.at(-1) ?? "", "--md", "--output", "-"], { env })
  expect(exported).toMatchObject({ code: 0, stdout: expect.stringContaining("Imported from Roo Code") })
})

it.each([
  ["with calls of the provider's own", NATIVE_ID, nativeTask, "native"],
  ["S9: with calls as tags in text", TAGGED_ID, taggedTask, "xml"],
] as const)("goes on with a task %s, with a history that a strict server takes", async (_, id, files, protocol) => {
  const requests: ChatRequest[] = []
  const model = await startScriptedModel((request) => {
    requests.push(request)
    return reply(say("It is done, as I said."))
  })
  const here = place()
  const { tasks, env } = person(here, { [id]: files })
  expect((await here.run(["import", "roo", tasks], { env })).code).toBe(0)
  expect(here.log()[0]).toMatchObject({ type: "task-started", protocol })
  const went = await here.run(["--base-url", model.url, "--model", "scripted", "--continue", "And now?"], { env })
  expect(went.code, went.stderr).toBe(0)
  const [request] = requests
  expect(request?.tools === undefined).toBe(protocol === "xml")
  expect(JSON.stringify(request?.messages)).toContain(protocol === "xml" ? "<path>hello.txt</path>" : "toolu_1")
  expect(JSON.stringify(request?.messages.at(-1))).toContain("And now?")
  await model.close()
})

it("says in one line what it cannot find", async () => {
  const here = place()
  const { tasks, env } = person(here, { [NATIVE_ID]: nativeTask })
  const say = async (...args: string[]) => (await here.run(["import", ...args], { env })).stderr
  expect(await say()).toMatch(/^joey: Say what to import: joey import roo/)
  expect(await say("roo", "./nowhere")).toBe("joey: There is nothing at ./nowhere.\n")
  expect(await say("roo", ".")).toMatch(/^joey: There is no task of Roo Code in .*\n$/)
  expect(await say("roo", tasks, "ffff")).toBe("joey: There is no task ffff of Roo Code; joey import roo --list shows them.\n")
  expect(await say("roo", "--into", "nowhere")).toMatch(/^joey: The folder .*nowhere does not exist/)
  const none = await here.run(["import", "roo"], { env: { HOME: here.workspace, XDG_CONFIG_HOME: "" } })
  expect(none).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^joey: No task of Roo Code was found in the usual places/),
  })
})

it("turns exported settings into ours, without a key and without what Roo approved by itself", async () => {
  const here = place({
    "roo-code-settings.json": JSON.stringify({
      providerProfiles: {
        currentApiConfigName: "mine",
        apiConfigs: {
          mine: {
            id: "1",
            apiProvider: "openrouter",
            openRouterModelId: "z-ai/glm-5",
            openRouterApiKey: "sk-or-secret-1",
            modelTemperature: 0,
          },
          "my proxy": {
            id: "2",
            apiProvider: "openai",
            openAiModelId: "m",
            openAiBaseUrl: "http://127.0.0.1:9/v1",
            openAiApiKey: "secret-2",
          },
          cloud: { id: "3", apiProvider: "bedrock", apiModelId: "x" },
        },
        modeApiConfigs: { architect: "2", code: "1", ask: "3" },
      },
      globalSettings: {
        alwaysAllowExecute: true,
        allowedCommands: ["*", "git log"],
        deniedCommands: ["rm"],
        allowedMaxCost: 5,
        mode: "code",
      },
    }),
  })
  const printed = await here.run(["import", "roo-settings", "roo-code-settings.json"])
  expect(printed.code).toBe(0)
  expect(JSON.parse(printed.stdout)).toEqual({
    profiles: {
      mine: { model: "openrouter/z-ai/glm-5", temperature: 0 },
      "my proxy": { model: "m", baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: "MY_PROXY_API_KEY" },
    },
    profile: "mine",
    modeProfiles: { architect: "my proxy", code: "mine" },
    mode: "code",
    limits: { cost: 5 },
    allowedCommands: ["git log"],
    deniedCommands: ["rm"],
  })
  expect(printed.stdout + printed.stderr).not.toMatch(/secret-/)
  expect(printed.stderr.split("\n")).toEqual([
    "joey: profile mine: its key was not taken over; put it into OPENROUTER_API_KEY.",
    "joey: profile my proxy: its key was not taken over; put it into MY_PROXY_API_KEY.",
    'joey: profile cloud: there is no counterpart of "bedrock"; left out.',
    "joey: what Roo approved by itself was not taken over; autoApprove in the settings decides that here.",
    "",
  ])
  expect((await here.run(["import", "roo-settings", "roo-code-settings.json", "--write"])).code).toBe(0)
  const again = await here.run(["import", "roo-settings", "roo-code-settings.json", "--write"])
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("is there already") })
  const shown = await here.run(["config"])
  expect(shown).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("openrouter/z-ai/glm-5") })
})
