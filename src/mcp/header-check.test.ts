import { expect, it } from "vitest"
import { headerProblem } from "./header-check.ts"

const object = (properties: object, rest = {}) => ({ type: "object", properties, ...rest })

it("arguments may go as headers when they are plain, named well, and each by a name of its own", () => {
  const region = { type: "string", "x-mcp-header": "Region" }
  const zone = { type: "integer", "x-mcp-header": "Zone" }
  expect(headerProblem(object({ region, where: object({ zone }), free: { type: "array" } }))).toBeUndefined()
  expect(headerProblem(object({ "x-mcp-header": { type: "object" } }))).toBeUndefined()
  expect(headerProblem(object({ a: { type: "string", default: { "x-mcp-header": 7 } } }))).toBeUndefined()
  for (const nothing of [undefined, null, true, "x", []]) expect(headerProblem(nothing)).toBeUndefined()
})

it.each([
  [object({ a: { type: "number", "x-mcp-header": "A" } }), "something else than a string"],
  [object({ a: { "x-mcp-header": "A" } }), "something else than a string"],
  [object({ a: { type: "string", "x-mcp-header": "" } }), "no name of a header"],
  [object({ a: { type: "string", "x-mcp-header": "A: b\r\nC" } }), "no name of a header"],
  [object({ a: { type: "string", "x-mcp-header": 7 } }), "no name of a header"],
  [object({ a: { type: "string", "x-mcp-header": "Up" }, b: { type: "string", "x-mcp-header": "up" } }), "is there twice"],
  [{ ...object({}), "x-mcp-header": "A" }, "does not stand on a plain property"],
  [object({ a: { type: "array", items: { type: "string", "x-mcp-header": "A" } } }), "does not stand on a plain property"],
  [object({}, { anyOf: [object({ a: { type: "string", "x-mcp-header": "A" } })] }), "does not stand on a plain property"],
  [object({}, { $defs: { a: { type: "string", "x-mcp-header": "A" } } }), "does not stand on a plain property"],
])("%j is told as a problem", (schema, problem) => {
  expect(headerProblem(schema)).toContain(problem)
})

it("a schema as deep as a well is looked through without falling in", () => {
  let deep: object = { type: "string", "x-mcp-header": "A" }
  for (let depth = 0; depth < 50_000; depth++) deep = { items: deep }
  expect(headerProblem(deep)).toContain("does not stand on a plain property")
})
