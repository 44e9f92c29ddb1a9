/** The system prompt: sections in a fixed order, the same bytes every time, and no tool written out in it. */
import { describe, expect, it } from "vitest"
import type { Mode } from "../types/mode.ts"
import { type PromptFacts, systemPrompt, toolReminder } from "./system.ts"

const mode: Mode = { slug: "code", name: "Code", role: "You are the role.", groups: [{ group: "read" }] }
const facts: PromptFacts = { mode, workspace: "/home/me/project", platform: "linux", shell: "bash" }

describe("the prompt", () => {
  it("S45: has role, tool use, rules, system and objective, in this order, with one blank line between", () => {
    const prompt = systemPrompt(facts)
    const places = ["You are the role.", "# Tools", "# Rules", "# System", "# How to work"].map((part) => prompt.indexOf(part))
    expect(places.every((place) => place >= 0)).toBe(true)
    expect(places.toSorted((one, other) => one - other)).toEqual(places)
    expect(prompt).not.toMatch(/\n{3}/)
    expect(prompt).toBe(prompt.trim())
  })

  it("S47: has the static facts of the machine, and the same bytes each time", async () => {
    const prompt = systemPrompt(facts)
    expect(prompt).toMatch(/linux.*bash.*\/home\/me\/project/)
    await new Promise((resolve) => setTimeout(resolve, 15))
    expect(systemPrompt({ ...facts })).toBe(prompt)
    expect(prompt).not.toMatch(/\b20\d\d\b/)
  })

  it("a mode's own instructions stand beside its role", () => {
    const prompt = systemPrompt({ ...facts, mode: { ...mode, instructions: "Write tests first." } })
    expect(prompt).toMatch(/You are the role\.\n\nWrite tests first\.\n\n# Tools/)
  })

  it("S1: describes no tool: their definitions travel beside it", () => {
    const prompt = systemPrompt(facts)
    expect(prompt).not.toMatch(/additionalProperties|"parameters"|input_schema|\(required\)/)
    expect(prompt).not.toMatch(/<\/?(?:read_file|write_to_file|apply_diff|execute_command|tool_name|path)>/)
  })

  it("S59: is short", () => expect(systemPrompt(facts).length).toBeLessThan(6_000))

  it("names only sections that say something", () => {
    expect(systemPrompt({ ...facts, mode: { ...mode, role: "" } })).toMatch(/^# Tools/)
  })
})

it("S21: the reminder says how to hand in, how to ask, and that text may simply be repeated", () => {
  expect(toolReminder).toMatch(/attempt_completion/)
  expect(toolReminder).toMatch(/ask_followup_question/)
  expect(toolReminder).toMatch(/repeat/)
})
