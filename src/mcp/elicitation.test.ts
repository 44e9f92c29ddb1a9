import { describe, expect, it } from "vitest"
import { elicit } from "./elicitation.ts"

/** A person who answers in this order. */
function person(...answers: (string | undefined)[]) {
  const asked: { question: string; suggestions: readonly string[] }[] = []
  const ask = async (question: string, suggestions: readonly string[]) => {
    asked.push({ question, suggestions })
    return answers[asked.length - 1]
  }
  return { ask, asked }
}

const form = (properties: Record<string, object>, required: string[] = []) =>
  ({ mode: "form", message: "Who are you?", requestedSchema: { type: "object", properties, required } }) as never

describe("a question of a server", () => {
  it("asks field by field, names the server, and declining is always offered first", async () => {
    const { ask, asked } = person("Ada", "36", "yes", "b", "Skip")
    const result = await elicit(
      "s",
      form(
        {
          name: { type: "string", title: "Your name" },
          age: { type: "integer", minimum: 0 },
          sure: { type: "boolean" },
          kind: { type: "string", enum: ["a", "b"] },
          more: { type: "string" },
        },
        ["name", "age", "sure", "kind"],
      ),
      ask,
    )
    expect(result).toEqual({ action: "accept", content: { name: "Ada", age: 36, sure: true, kind: "b" } })
    expect(asked[0]?.question).toBe('The server "s" asks: Who are you?\n\nYour name (name) (1 of 5)')
    expect(asked.map(({ suggestions }) => suggestions)).toEqual([
      ["Decline"],
      ["Decline"],
      ["Decline", "yes", "no"],
      ["Decline", "a", "b"],
      ["Decline", "Skip"],
    ])
  })

  it("asks again what does not fit, and gives up in the end", async () => {
    const { ask, asked } = person("old", "-1", "7")
    expect(await elicit("s", form({ age: { type: "integer", minimum: 0 } }, ["age"]), ask)).toEqual({
      action: "accept",
      content: { age: 7 },
    })
    expect(asked[2]?.question).toMatch(/\(It is at least 0\.\)$/)
    expect(await elicit("s", form({ age: { type: "integer" } }, ["age"]), person("x", "y", "z").ask)).toEqual({
      action: "decline",
    })
  })

  it.each([
    { password: { type: "string" } },
    { field: { type: "string", title: "API key" } },
    { field: { type: "string", description: "Your access token" } },
    { field: { type: "string", format: "password" } },
  ])("is never passed on when it asks for a secret: %j", async (properties) => {
    const { ask, asked } = person("hunter2")
    expect(await elicit("s", form(properties as never), ask)).toEqual({ action: "decline" })
    expect(asked).toEqual([])
  })

  it("what the server takes by default is suggested, and taken when nothing is said", async () => {
    const { ask, asked } = person("", "Skip", "no")
    const fields = {
      name: { type: "string", default: "Ada" },
      age: { type: "integer", default: 36 },
      sure: { type: "boolean", default: true },
      odd: { type: "string", default: { a: 1 } },
    }
    const content = { name: "Ada", age: 36, sure: false }
    expect(await elicit("s", form({ ...fields }, ["name"]), person("", "Skip", "no", "Skip").ask)).toEqual({
      action: "accept",
      content,
    })
    await elicit("s", form({ ...fields }, ["name"]), ask)
    expect(asked[0]).toMatchObject({
      question: expect.stringMatching(/name \(default: Ada\) \(1 of 4\)$/),
      suggestions: ["Decline", "Ada"],
    })
    expect(asked[2]?.suggestions).toEqual(["Decline", "yes", "no", "Skip"])
  })

  it("a no, and nobody there, decline", async () => {
    expect(await elicit("s", form({ a: { type: "string" } }), person("decline").ask)).toEqual({ action: "decline" })
    expect(await elicit("s", form({ a: { type: "string" } }), person(undefined).ask)).toEqual({ action: "decline" })
    expect(await elicit("s", form({}), person("Decline").ask)).toEqual({ action: "decline" })
    expect(await elicit("s", form({}), person("Accept").ask)).toEqual({ action: "accept", content: {} })
  })

  it("a page to open is shown with its host, and only on the web", async () => {
    const { ask, asked } = person("Done, go on")
    const page = (url: string) => ({ mode: "url", message: "sign in", url, elicitationId: "1" }) as never
    expect(await elicit("s", page("https://good.example@evil.example/x"), ask)).toEqual({ action: "accept" })
    expect(asked[0]?.question).toMatch(/on evil\.example: sign in\n\nhttps:\/\/good\.example@evil\.example\/x$/)
    for (const bad of ["javascript:alert(1)", "file:///etc/passwd", "nonsense"]) {
      expect(await elicit("s", page(bad), person("Done, go on").ask)).toEqual({ action: "decline" })
    }
  })

  it("words of the server cannot steer the terminal or grow without bound", async () => {
    const { ask, asked } = person(undefined)
    const params = {
      mode: "form",
      message: `\u001b[2J${"x".repeat(100_000)}`,
      requestedSchema: { type: "object", properties: {} },
    } as never
    await elicit("s", params, ask)
    expect(asked[0]?.question).not.toContain("\u001b")
    expect(asked[0]?.question.length).toBeLessThan(3_000)
  })
})
