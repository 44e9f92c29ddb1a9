/** `joey prompt` prints exactly what a task sends, and a model's own ways are part of it. */
import { describe, expect, it, onTestFinished } from "vitest"
import { call, reply, say } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { place } from "./joey.ts"

const done = reply(call("attempt_completion", { result: "Done." }))
const PROJECT = {
  "AGENTS.md": "Use two spaces.",
  ".roo/rules-ask/short.md": "One line.",
  ".rooignore": "secret/\n",
  ".roo/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: How we deploy\n---\nRun make.",
  ".joey/settings.json": JSON.stringify({ language: "Deutsch", customInstructions: "Be kind.", disabledTools: ["list_files"] }),
}

/** What a task sends first, and what the command shows for the same flags. */
async function both(flags: string[]) {
  const model = await startScriptedModel([done])
  onTestFinished(() => model.close())
  const here = place(PROJECT)
  const env = { HOME: here.home, LC_ALL: "C" }
  await here.run(["--base-url", model.url, ...flags, "hello"], { env })
  const shown = await here.run(["prompt", "--base-url", model.url, ...flags], { env })
  const [request] = model.requests
  return { shown: shown.stdout, system: String(request?.messages[0]?.content), tools: request?.tools ?? [] }
}

/** The definitions stand on lines of their own, as JSON. */
function definitionsIn(shown: string): unknown[] {
  return shown.split("\n").flatMap((line) => (line.startsWith('{"name":') ? [JSON.parse(line.replace(/,$/, ""))] : []))
}

describe("joey prompt", () => {
  it.each([
    ["code", "m"],
    ["ask", "m"],
    ["orchestrator", "m"],
    ["code", "gpt-5"],
    ["code", "minimax-m2"],
  ])("S59: in %s mode for %s shows the very prompt and the very tools that are sent", async (mode, model) => {
    const { shown, system, tools } = await both(["--mode", mode, "--model", model])
    expect(system).toContain("Use two spaces.")
    expect(shown).toContain(` ---\n${system}\n\n--- Tools`)
    expect(definitionsIn(shown)).toEqual(
      tools.map(({ function: { name, description, parameters } }) => ({ name, description, parameters })),
    )
    const offered = tools.map((tool) => tool.function.name)
    expect(offered.includes("apply_patch")).toBe(model === "gpt-5" && mode === "code")
    expect(offered).not.toContain("list_files")
  })

  it("S10 S59: as tagged text shows the very prompt that is sent then, tools included", async () => {
    const model = await startScriptedModel([reply(say("That is all.")), reply(say("That is all."))])
    onTestFinished(() => model.close())
    const here = place(PROJECT)
    here.write(".joey/settings.json", JSON.stringify({ toolProtocol: "xml" }))
    const env = { HOME: here.home, LC_ALL: "C" }
    await here.run(["--base-url", model.url, "--model", "m", "hello"], { env })
    const system = String(model.requests[0]?.messages[0]?.content)
    expect(model.requests[0]?.tools ?? []).toEqual([])
    expect(system).toContain("<read_file>")
    for (const args of [["prompt"], ["prompt", "--xml"]]) {
      expect((await here.run([...args, "--model", "m"], { env })).stdout).toContain(` ---\n${system}\n\n--- Tokens`)
    }
  })
})
