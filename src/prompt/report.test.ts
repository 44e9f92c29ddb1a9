/** What `joey prompt` shows. */
import { expect, it } from "vitest"
import { requestReport } from "./report.ts"

const sections = [
  { name: "role", text: "You are here." },
  { name: "rules", text: "Be good." },
]
const tools = [
  {
    name: "look",
    description: "Looks.",
    parameters: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
  },
]
const countTokens = (text: string) => text.split(/\s+/).length
const tokens = (report: string, name: string) => Number(new RegExp(`^${name} +(\\d+)$`, "m").exec(report)?.[1])

it("S59: holds the prompt and the tools exactly as they are sent, and counts each piece", () => {
  const report = requestReport({ sections, tools }, { heading: "for m", tagged: false, countTokens })
  expect(report).toContain("\nYou are here.\n\nBe good.\n\n")
  expect(report).toContain(`\n[\n${JSON.stringify(tools[0])}\n]\n`)
  expect(tokens(report, "role")).toBe(3)
  expect(tokens(report, "= system prompt")).toBe(5)
  expect(tokens(report, "look")).toBe(1)
  expect(report).toMatch(/estimated/)
})

it("S10, S59: shows the tagged form on request, and both totals either way", () => {
  const native = requestReport({ sections, tools }, { heading: "for m", tagged: false, countTokens })
  const tagged = requestReport({ sections, tools }, { heading: "for m", tagged: true, countTokens })
  expect(native).toMatch(/^--- System prompt for m, 0\.0 KB ---\n/)
  expect(tagged).toContain("<look>\n<at>at here</at>\n</look>")
  expect(native).not.toContain("<look>")
  for (const name of ["= system prompt and definitions", "= system prompt and tagged text"]) {
    expect(tokens(native, name)).toBe(tokens(tagged, name))
    expect(tokens(native, name)).toBeGreaterThan(5)
  }
})

it("a request without tools is shown as such", () => {
  const report = requestReport({ sections, tools: [] }, { heading: "for m", tagged: false, countTokens })
  expect(report).toContain(" KB ---\n[]\n\n")
})

it("S10: the tagged form stands in the prompt where it is sent, behind the section on tools", () => {
  const told = [{ name: "tool use", text: "# Tools\n- Act." }, ...sections]
  const report = requestReport({ sections: told, tools }, { heading: "for m", tagged: true, countTokens })
  expect(report).toMatch(/# Tools\n- Act\.\n\n# Calling tools\n[\s\S]*<\/look>\n\nYou are here\.\n\nBe good\./)
})
