import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { ToolSummary } from "../types/tool.ts"
import { definitionsText, describeTools } from "./definitions.ts"
import { builtInTools } from "./index.ts"
import { noJobs } from "./no-jobs.ts"

const tools = builtInTools({
  ask: async () => [],
  complete: async () => ({ accepted: true }),
  switchMode: async () => ({ change: "none" }),
  readSkill: async () => ({ available: [] }),
  expandCommand: async () => ({ available: [] }),
  jobs: noJobs,
})
const committed = readFileSync(new URL("definitions.json", import.meta.url), "utf8")

describe("tool definitions", () => {
  it("S1: the committed file holds what the tools say (npm run build writes it)", () => {
    expect(committed).toBe(definitionsText())
    const parsed: ToolSummary[] = JSON.parse(committed)
    expect(parsed).toEqual(describeTools(tools))
  })

  it("S1: every definition is a closed object schema under a valid name", () => {
    for (const { name, definition } of describeTools(tools)) {
      expect(definition.name).toBe(name)
      expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/)
      expect(definition.description).not.toBe("")
      expect(definition.parameters).toMatchObject({ type: "object", additionalProperties: false })
      expect(JSON.stringify(definition.parameters)).not.toMatch(/\$schema|9007199254740991/)
    }
  })

  it("no tool needs more than a kilobyte of words, for they are paid for on every request", () => {
    const sizes = describeTools(tools).map(
      ({ name, definition }) => [name, Buffer.byteLength(JSON.stringify(definition))] as const,
    )
    expect(sizes.filter(([, size]) => size > 1024)).toEqual([])
  })

  it("S30 S31 S32 S33 S34 S35 S36 S37: the list holds these tools, each in its group, under unique names", () => {
    expect(tools.map((tool) => [tool.name, tool.group])).toEqual([
      ["read_file", "read"],
      ["list_files", "read"],
      ["search_files", "read"],
      ["codebase_search", "read"],
      ["write_to_file", "edit"],
      ["apply_diff", "edit"],
      ["apply_patch", "edit"],
      ["search_and_replace", "edit"],
      ["search_replace", "edit"],
      ["edit_file", "edit"],
      ["generate_image", "edit"],
      ["execute_command", "command"],
      ["read_command_output", "command"],
      ["send_command_input", "command"],
      ["web_fetch", "browser"],
      ["browser_action", "browser"],
      ["access_mcp_resource", "mcp"],
      ["find_tools", "always"],
      ["update_todo_list", "always"],
      ["switch_mode", "modes"],
      ["new_task", "modes"],
      ["skill", "always"],
      ["run_slash_command", "always"],
      ["fetch_instructions", "always"],
      ["ask_followup_question", "always"],
      ["attempt_completion", "always"],
    ])
    const names = tools.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])])
    expect(new Set(names).size).toBe(names.length)
  })

  it("S57: every preview accepts any draft", () => {
    const odd: unknown[] = [undefined, null, true, 0, "", "text", [], [null], [{}], {}, { path: {} }, [["a"], 3]]
    for (const tool of tools) {
      for (const name of Object.keys(tool.input.jsonSchema.properties ?? {})) {
        for (const value of odd) expect(tool.preview?.({ [name]: value })).toHaveProperty("kind")
      }
    }
  })
})
