import { describe, expect, it } from "vitest"
import * as z from "zod"
import { defineTool } from "./define-tool.ts"

const paint = defineTool({
  name: "paint",
  group: "edit",
  effect: "write",
  description: "Paint a wall.",
  input: z.object({
    wall: z.string().min(1).describe("Which wall"),
    coats: z.int().min(1).max(5).default(1),
    colour: z.enum(["red", "blue"]).nullable().optional(),
    spots: z
      .array(z.object({ x: z.number(), note: z.string().nullable().optional() }))
      .max(2)
      .optional(),
    area: z.union([z.number(), z.string()]).optional(),
  }),
  spellings: { surface: "wall" },
  preview: ({ wall, coats }) => ({ kind: "title", text: `Paint ${wall ?? "…"} ${coats ?? "?"}` }),
  run: async ({ wall, coats }) => ({ say: `${wall} painted ${coats} times` }),
})

function problems(value: unknown): string[] {
  const checked = paint.input.check(value)
  return checked.ok ? [] : checked.problems
}

describe("defineTool", () => {
  it("S1: offers a closed JSON Schema without generator noise", () => {
    expect(paint.input.jsonSchema).toEqual({
      type: "object",
      properties: {
        wall: { type: "string", minLength: 1, description: "Which wall" },
        coats: { type: "integer", minimum: 1, maximum: 5, default: 1 },
        colour: { type: ["string", "null"], enum: ["red", "blue", null] },
        spots: {
          type: "array",
          maxItems: 2,
          items: {
            type: "object",
            properties: { x: { type: "number" }, note: { type: ["string", "null"] } },
            required: ["x"],
            additionalProperties: false,
          },
        },
        area: { type: ["number", "string"] },
      },
      required: ["wall"],
      additionalProperties: false,
    })
    expect(paint.input.jsonSchema).toBe(paint.input.jsonSchema)
  })

  it("leaves out the limits zod gives to plain integers", () => {
    const tool = defineTool({ ...bare, input: z.object({ n: z.int() }) })
    expect(tool.input.jsonSchema.properties).toEqual({ n: { type: "integer" } })
  })

  it("fills in defaults, coerces safely and drops unknown arguments", () => {
    expect(paint.input.check({ wall: "north", coats: "3", brush: "wide" })).toEqual({
      ok: true,
      value: { wall: "north", coats: 3 },
    })
    expect(paint.input.check({ wall: "north" })).toEqual({ ok: true, value: { wall: "north", coats: 1 } })
  })

  it("S16: says what was expected and what came, argument by argument", () => {
    expect(problems({ wall: 42, coats: 9 })).toEqual([
      "`wall`: expected string, got number 42",
      "`coats`: expected number of at most 5, got number 9",
    ])
    expect(problems({ wall: "", coats: 1.5 })).toEqual([
      "`wall`: expected non-empty string, got empty string",
      "`coats`: expected integer, got number 1.5",
    ])
    expect(problems({ wall: "n", colour: "green" })).toEqual(['`colour`: expected one of "red", "blue", got string "green"'])
    expect(problems({ wall: "n", area: [1] })).toEqual(["`area`: expected number or string, got array of 1 item"])
    expect(problems({ wall: "n", spots: [{ x: 1 }, { x: "far" }] })).toEqual(['`spots[1].x`: expected number, got string "far"'])
  })

  it("S16: names an argument as the model wrote it, and the strangers beside a missing one", () => {
    expect(problems({ surface: 42 })).toEqual(["`surface`: expected string, got number 42"])
    expect(problems({ place: "north" })).toEqual([
      "`wall`: expected string, got nothing",
      "`place`: no such argument; known are `wall`, `coats`, `colour`, `spots`, `area`",
    ])
  })

  it("prefers the right name when an argument comes under two", () => {
    expect(paint.input.check({ surface: "south", wall: "north" })).toMatchObject({ ok: true, value: { wall: "north" } })
  })

  it("S16: refuses arguments that are no object", () => {
    for (const value of [[], null, "text", 7, undefined]) expect(problems(value)).toHaveLength(1)
    expect(problems([1, 2])).toEqual(["the arguments: expected object, got array of 2 items"])
  })

  it("S57: hands a preview only arguments of the declared type, under their own name", () => {
    const preview = (draft: object) => paint.preview?.(draft)
    expect(preview({})).toEqual({ kind: "title", text: "Paint … ?" })
    expect(preview({ wall: 7, coats: "many", surface: null })).toEqual({ kind: "title", text: "Paint … ?" })
    expect(preview({ surface: "east", coats: 2 })).toEqual({ kind: "title", text: "Paint east 2" })
  })

  it("offers less than it accepts when told so", () => {
    const tool = defineTool({
      ...bare,
      input: z.object({ a: z.string(), b: z.string().optional() }),
      offered: z.object({ a: z.string() }),
    })
    expect(Object.keys(tool.input.jsonSchema.properties ?? {})).toEqual(["a"])
    expect(tool.input.check({ a: "1", b: "2" })).toEqual({ ok: true, value: { a: "1", b: "2" } })
  })

  it("shows a rule of the tool's own in its own words", () => {
    const tool = defineTool({ ...bare, input: z.object({ a: z.string().refine((text) => text !== "x", "must not be x") }) })
    expect(tool.input.check({ a: "x" })).toEqual({ ok: false, problems: ["`a`: must not be x"] })
  })
})

const bare = {
  name: "bare",
  group: "read",
  effect: "read",
  description: "Nothing.",
  run: async () => ({ say: "" }),
} as const
