import { expect, it } from "vitest"
import type { ChatRequest } from "./chat-request.ts"
import {
  bareReply,
  call,
  frame,
  nextReply,
  pause,
  rawCall,
  refuse,
  reply,
  type Scenario,
  say,
  scriptIsOver,
  think,
} from "./scenario.ts"

const request: ChatRequest = { model: "any", messages: [{ role: "user", content: "hello" }] }

it("gives the n-th request the n-th step, and then says that the script is over", () => {
  const scenario: Scenario = [reply(say("one")), reply(say("two"))]
  expect(nextReply(scenario, request, 0)).toEqual({ pieces: [{ text: "one" }] })
  expect(nextReply(scenario, request, 1)).toEqual({ pieces: [{ text: "two" }] })
  expect(nextReply(scenario, request, 2)).toEqual(scriptIsOver())
})

it("lets a step, or the whole scenario, look at the request", () => {
  const echo = ({ messages }: ChatRequest, turn: number) => reply(say(`${turn}: ${String(messages[0]?.content)}`))
  expect(nextReply([echo], request, 0)).toEqual(reply(say("0: hello")))
  expect(nextReply(echo, request, 7)).toEqual(reply(say("7: hello")))
})

it("is plain data that survives a trip through JSON", () => {
  const steps = [
    { ...reply(think("hm"), say("so"), pause(3), call("look", { at: "a" }), rawCall("look", '{"at":')), pace: 2 },
    bareReply(frame({ choices: [] }), { cut: true }),
    refuse(429, "slow down", { "retry-after": "1" }),
  ]
  expect(JSON.parse(JSON.stringify(steps))).toEqual(steps)
})

it("keeps a given id and leaves others to the server", () => {
  expect(call("look", {}, "a")).toEqual({ call: "look", input: {}, id: "a" })
  expect(rawCall("look", "{", "b")).toEqual({ call: "look", raw: "{", id: "b" })
  expect(call("look")).toEqual({ call: "look", input: {} })
})

it("leaves the form of an HTTP error to the wire that is spoken", () => {
  expect(refuse(401, "no key", { "retry-after": "1" })).toEqual({
    pieces: [],
    status: 401,
    headers: { "retry-after": "1" },
    refusal: "no key",
  })
})
