import { describe, expect, it } from "vitest"
import { memoryHost } from "../host/memory.ts"
import { ToolError } from "../types/tool.ts"
import { attemptCompletion, type CompletionPort } from "./attempt-completion.ts"
import { callTool } from "./call-tool.ts"

const complete = (port: CompletionPort["complete"], result = "All done.") =>
  callTool(attemptCompletion({ complete: port }), { result }, memoryHost({}))

describe("attempt_completion", () => {
  it("S23: an accepted result ends the task", async () => {
    const proposals: unknown[] = []
    const output = await complete(async (proposal) => {
      proposals.push(proposal)
      return { accepted: true }
    })
    expect(proposals).toEqual([{ callKey: "call-1", result: "All done." }])
    expect(output).toEqual({
      say: "The result was accepted.",
      show: { kind: "result", text: "All done." },
      accepted: "All done.",
    })
  })

  it("S23: feedback goes back as the call's result and ends nothing", async () => {
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const
    const output = await complete(async () => ({ accepted: false, feedback: [{ type: "text", text: "tests fail" }, image] }))
    expect(output.say).toEqual([
      { type: "text", text: "The result was not accepted yet:" },
      { type: "text", text: "tests fail" },
      image,
    ])
    expect(output.accepted).toBeUndefined()
  })

  it("S23: a no without words is told too", async () => {
    const output = await complete(async () => ({ accepted: false, feedback: [] }))
    expect(output.say).toBe("The result was not accepted. Ask what is missing.")
  })

  it("S22: lets a refusal and a cancel pass", async () => {
    await expect(complete(() => Promise.reject(new ToolError("open todos")))).rejects.toThrow(ToolError)
    const cancelled = new Error("cancelled")
    await expect(complete(() => Promise.reject(cancelled))).rejects.toBe(cancelled)
  })

  it("S16: requires a result with words in it", async () => {
    const accept = async () => ({ accepted: true }) as const
    await expect(complete(accept, "")).rejects.toThrow("`result`: expected non-empty string, got empty string")
    await expect(complete(accept, " \n")).rejects.toThrow("`result`: expected words, got only white space")
    await expect(complete(accept, "x".repeat(100_001))).rejects.toThrow("`result`: expected at most 100000 characters")
  })

  it("S20: settles last in its turn and changes nothing itself", () => {
    const tool = attemptCompletion({ complete: async () => ({ accepted: true }) })
    expect(tool).toMatchObject({ settlesLast: true, effect: "none", group: "always" })
  })

  it("S57: previews the text as it grows", () => {
    const tool = attemptCompletion({ complete: async () => ({ accepted: true }) })
    expect(tool.preview?.({})).toEqual({ kind: "result", text: "" })
    expect(tool.preview?.({ result: "All d" })).toEqual({ kind: "result", text: "All d" })
  })
})
