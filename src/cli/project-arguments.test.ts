import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Mode } from "../types/mode.ts"
import { UsageError } from "./arguments.ts"
import { checkMode, readProjectArguments, reportFindings } from "./project-arguments.ts"

function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "joey-arguments-")))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

describe("arguments of commands that look at a project", () => {
  it("are a folder, a mode and the command's switches; this folder without any", () => {
    const here = folder()
    expect(readProjectArguments([], here)).toEqual({ workspace: here, given: new Set() })
    expect(readProjectArguments(["--mode", "ask", "--xml", "-w", here], "/", ["xml"])).toEqual({
      workspace: here,
      mode: "ask",
      given: new Set(["xml"]),
    })
  })

  it("what is unknown, and what is no folder, is said in one line", () => {
    const here = folder()
    writeFileSync(join(here, "file"), "")
    for (const args of [["--xml"], ["word"], ["--mode"], ["--workspace", "file"], ["--workspace", "missing"]]) {
      expect(() => readProjectArguments(args, here)).toThrow(UsageError)
    }
  })

  it("a mode that is not there is refused with the near one and all there are", () => {
    const modes: Mode[] = ["code", "ask"].map((slug) => ({ slug, name: slug, role: "You are.", groups: [] }))
    expect(checkMode("ask", modes)).toBe("ask")
    expect(() => checkMode("coed", modes)).toThrow('There is no mode "coed" (code?); choose from code, ask.')
  })

  it("findings are one line each, with file and line", () => {
    const lines: string[] = []
    const stderr = { write: (line: string) => lines.push(line) } as unknown as NodeJS.WriteStream & { fd: 2 }
    reportFindings(
      [
        { file: ".roomodes", line: 3, reason: "no slug" },
        { file: "a.md", reason: "unreadable" },
      ],
      { stderr },
    )
    expect(lines).toEqual(["joey: .roomodes:3: no slug\n", "joey: a.md: unreadable\n"])
  })
})
