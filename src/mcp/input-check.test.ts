import { describe, expect, it } from "vitest"
import type { JsonObject } from "../types/json.ts"
import type { Schema } from "../types/tool.ts"
import { loadCompilers, serverSchema } from "./input-check.ts"

const compilers = loadCompilers()

async function usable(schema: unknown): Promise<Schema<JsonObject>> {
  const made = serverSchema(schema, await compilers)
  if ("problem" in made) throw new Error(made.problem)
  return made
}

async function problemsWith(schema: unknown, value: unknown): Promise<string[]> {
  const checked = (await usable(schema)).check(value)
  return checked.ok ? [] : checked.problems
}

const object = (properties: object, rest: object = {}) => ({ type: "object", properties, ...rest })

describe("arguments for a server's tool", () => {
  it("S34: are checked by the server's schema, in the words of our own tools", async () => {
    const schema = object(
      {
        path: { type: "string", minLength: 2 },
        count: { type: "integer", maximum: 9 },
        kind: { enum: ["a", "b"] },
        list: { type: "array", maxItems: 1 },
      },
      { required: ["path", "count"], additionalProperties: false },
    )
    expect(await problemsWith(schema, { path: "ok", count: 3 })).toEqual([])
    expect(await problemsWith(schema, { path: "", count: "many", kind: "c", list: [1, 2], extra: 1 })).toEqual(
      expect.arrayContaining([
        "`path`: expected string of at least 2 characters, got empty string",
        '`count`: expected integer, got string "many"',
        '`kind`: expected one of "a", "b", got string "c"',
        "`list`: expected array of at most 1 item, got array of 2 items",
        "`extra`: no such argument",
      ]),
    )
    expect(await problemsWith(schema, { count: 3 })).toEqual(["`path`: expected string, got nothing"])
    expect(await problemsWith(schema, "text")).toEqual(['the arguments: expected object, got string "text"'])
  })

  it("are put right where nothing has to be guessed", async () => {
    const schema = await usable(object({ count: { type: "integer" }, on: { type: "boolean" } }))
    expect(schema.check({ count: "12", on: "true" })).toEqual({ ok: true, value: { count: 12, on: true } })
  })

  it("recursion, both drafts and definitions work", async () => {
    const tree = (ref: string, where: string, schema?: string) => ({
      ...(schema && { $schema: schema }),
      ...object({ root: { $ref: ref } }),
      [where]: {
        node: object({ name: { type: "string" }, children: { type: "array", items: { $ref: ref } } }, { required: ["name"] }),
      },
    })
    const deep = { root: { name: "a", children: [{ name: "b", children: [{}] }] } }
    for (const schema of [
      tree("#/$defs/node", "$defs", "https://json-schema.org/draft/2020-12/schema"),
      tree("#/definitions/node", "definitions", "http://json-schema.org/draft-07/schema#"),
    ]) {
      expect(await problemsWith(schema, deep)).toEqual(["`root.children[0].children[0].name`: expected a value, got nothing"])
    }
  })

  it("a reference that leads elsewhere is never followed: there anything is allowed", async () => {
    const schema = await usable(
      object({ a: { $ref: "https://evil.example/schema.json" }, b: { $ref: "#/nowhere" }, c: { $ref: "file:///etc/passwd" } }),
    )
    expect(JSON.stringify(schema.jsonSchema)).not.toMatch(/evil|nowhere|passwd/)
    expect(schema.check({ a: 1, b: [], c: null }).ok).toBe(true)
  })

  it("a property may be called like a keyword", async () => {
    const schema = object({ $ref: { type: "string" }, id: { type: "number" }, $id: { type: "string" } }, { required: ["$ref"] })
    expect((await usable(schema)).jsonSchema.properties).toEqual(schema.properties)
    expect(await problemsWith(schema, {})).toEqual(["`$ref`: expected string, got nothing"])
  })

  it("a pattern that would take for ever is given up, and the server has the last word", async () => {
    const started = performance.now()
    expect(await problemsWith(object({ a: { type: "string", pattern: "^(a+)+$" } }), { a: `${"a".repeat(40)}!` })).toEqual([])
    expect(performance.now() - started).toBeLessThan(5_000)
    expect(await problemsWith(object({ a: { type: "string", pattern: "^(a+)+$" } }), { a: "b" })).toHaveLength(1)
  })

  it("alternatives within alternatives cost no more than the schema is large", async () => {
    let schema: object = { type: "integer" }
    for (let depth = 0; depth < 25; depth++) schema = { anyOf: [{ type: "null" }, schema, { type: "boolean" }] }
    expect(await problemsWith(object({ a: schema }), { a: "text" })).toEqual([
      '`a`: fits none of the forms it may have, got string "text"',
    ])
  })

  it.each([
    ["a list", [], "no object"],
    ["no object as input", { type: "string" }, "its input is no object"],
    ["ten megabytes", object({ a: { description: "x".repeat(10_000_000) } }), "too large"],
    ["a million parts", object(Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`p${at}`, {}]))), "too large"],
    [
      "endless depth",
      JSON.parse(`{"type":"object","properties":${'{"a":{"properties":'.repeat(200)}{}${"}}".repeat(200)}}`),
      "too deeply",
    ],
  ])("S34: %s keeps the tool out, in one line", async (_, schema, problem) => {
    expect(serverSchema(schema, await compilers)).toEqual({ problem: expect.stringContaining(problem) })
  })

  it("a schema that cannot be compiled leaves the check to the server", async () => {
    const schema = await usable(object({ a: { type: "strange" }, b: { pattern: "(" } }))
    expect(schema.check({ a: 1 })).toEqual({ ok: true, value: { a: 1 } })
  })

  it("what is wrong with the arguments as a whole is called so", async () => {
    const schema = { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] }
    expect(await problemsWith(schema, {})).toEqual(["the arguments: fits none of the forms it may have, got object"])
  })

  it("no schema at all takes any object", async () => {
    expect((await usable(undefined)).check({ a: 1 }).ok).toBe(true)
  })
})
