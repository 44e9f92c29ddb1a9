import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { CheckSettings } from "../types/settings.ts"
import { ToolError } from "../types/tool.ts"
import { checksHook } from "./checks.ts"
import { newLines } from "./new-lines.ts"
import { quiet, testCall, testPorts } from "./test-ports.ts"

/** Every line with "bad" in it is an error, with its number. */
const LINT = `grep -n bad {file} | sed 's/^/a.txt:/' && exit 1 || exit 0`

async function given(check: CheckSettings, content: string) {
  const ports = await testPorts({ "a.txt": content })
  const hook = checksHook([check], ports)
  const edit = async (after: string, changes = {}) => {
    const call = testCall({ paths: ["a.txt"], ...changes })
    const next = async () => {
      writeFileSync(join(ports.workspace, "a.txt"), after)
      return { say: "Edited." }
    }
    const output = await hook.wrap?.(call, next, quiet())
    const say = output?.say ?? ""
    return typeof say === "string" ? [say] : say.map((part) => (part.type === "text" ? part.text : ""))
  }
  return { ports, edit }
}

describe("checks after an edit", () => {
  it("adds only what is new, although the edit moved the old errors", async () => {
    const { edit } = await given({ glob: "*.txt", command: LINT }, "bad one\nfine\n")
    expect(await edit("fine\nfine\nbad one\nbad two\n")).toEqual([
      "Edited.",
      `New in the check \`${LINT.replace("{file}", "a.txt")}\` since this edit:\na.txt:4:bad two`,
    ])
    expect(await edit("bad one\nbad two\n")).toEqual(["Edited."])
    expect(await edit("fine\n")).toEqual(["Edited."])
    expect((await edit("bad two\n"))[1]).toContain("bad two")
  })

  it("leaves other files, reads and calls without files alone", async () => {
    const { edit } = await given({ glob: "*.ts", command: "echo error; exit 1" }, "")
    expect(await edit("bad")).toEqual(["Edited."])
    expect(await edit("bad", { paths: ["x.ts"], effect: "read" })).toEqual(["Edited."])
    expect(await edit("bad", { paths: [] })).toEqual(["Edited."])
  })

  it("tells once, to the model and the person, that a check cannot run or takes too long", async () => {
    for (const [command, words] of [
      ["no-such-linter", "no-such-linter"],
      ["sleep 20", "longer than 0.1 seconds"],
    ] as const) {
      const { edit, ports } = await given({ glob: "*.txt", command, timeout: 0.1 }, "")
      const [, told] = await edit("x")
      expect(told).toContain(words)
      expect(await edit("y")).toEqual(["Edited."])
      expect(ports.notices).toHaveLength(1)
    }
  })

  it("bounds what it adds", async () => {
    const { edit } = await given(
      { glob: "*", command: `[ -e go ] || { touch go; exit 0; }; yes 'a long line of errors number x' | head -5000; exit 1` },
      "",
    )
    const [, told = ""] = await edit("x")
    expect(told.length).toBeLessThan(4600)
    expect(told.split("\n").length).toBe(42)
    expect(told).toMatch(/… and 4960 more lines$/)
  })

  it("quotes the file: a name cannot become code or an option", async () => {
    const ports = await testPorts({ "-x; touch evil '$(touch evil)'.txt": "bad" })
    const path = "-x; touch evil '$(touch evil)'.txt"
    const hook = checksHook([{ glob: "*.txt", command: "cat {file} && exit 1" }], ports)
    const next = async () => {
      writeFileSync(join(ports.workspace, path), "worse")
      return { say: "Edited." }
    }
    const output = await hook.wrap?.(testCall({ paths: [path] }), next, quiet())
    expect(output?.say).toMatchObject([{ text: "Edited." }, { text: expect.stringContaining("worse") }])
  })

  it("passes the edit's own failure on, and runs nothing after a cancel", async () => {
    const ports = await testPorts({ "a.txt": "" })
    const hook = checksHook([{ glob: "*", command: "exit 1" }], ports)
    const call = testCall({ paths: ["a.txt"] })
    await expect(hook.wrap?.(call, () => Promise.reject(new ToolError("no match")), quiet())).rejects.toThrow("no match")
    const cancel = new AbortController()
    cancel.abort()
    const output = await hook.wrap?.(call, async () => ({ say: "Edited." }), cancel.signal)
    expect(output).toEqual({ say: "Edited." })
  })
})

describe("newLines", () => {
  it("counts equal lines", () => {
    const bounds = { lines: 10, characters: 1000 }
    expect(newLines("a:1 x\n", "a:7 x\na:9 x\n", bounds)).toEqual({ shown: ["a:9 x"], left: 0 })
    expect(newLines("", "", bounds)).toEqual({ shown: [], left: 0 })
  })
})
