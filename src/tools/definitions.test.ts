import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { ToolSummary } from "../types/tool.ts"
import { definitionsText, describeTools } from "./definitions.ts"
import { builtInTools } from "./index.ts"

const tools = builtInTools({
  ask: async () => [],
  complete: async () => ({ accepted: true }),
  switchMode: async () => ({ change: "none" }),
  readSkill: async () => ({ available: [] }),
  expandCommand: async () => ({ available: [] }),
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

  it("stays within 7 KB, for it is paid for on every request", () => {
    const definitions = describeTools(tools).map((tool) => tool.definition)
    expect(Buffer.byteLength(JSON.stringify(definitions))).toBeLessThanOrEqual(7 * 1024)
  })

  it("S30 S31 S32 S35 S36: the list holds these tools, each in its group, under unique names", () => {
    expect(tools.map((tool) => [tool.name, tool.group])).toEqual([
      ["read_file", "read"],
      ["list_files", "read"],
      ["search_files", "read"],
      ["write_to_file", "edit"],
      ["apply_diff", "edit"],
      ["execute_command", "command"],
      ["update_todo_list", "always"],
      ["switch_mode", "modes"],
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
