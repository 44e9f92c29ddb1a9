import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { openServerLog, readLogTail, serverLogFile } from "./log-file.ts"

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "joey-log-"))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

describe("a server's log", () => {
  it("keeps its latest words within a bound, without what steers a terminal", () => {
    const log = openServerLog(serverLogFile(folder(), "s"))
    for (let count = 0; count < 300; count++) log.write(`${count} ${"x".repeat(10_000)}\u001b[2J`)
    expect(statSync(log.file).size).toBeLessThan(1.2 * 1024 * 1024)
    const text = readFileSync(log.file, "utf8")
    expect(text).toContain("\n299 x")
    expect(text).not.toContain("\u001b")
    expect(readLogTail(log.file, 100)).toHaveLength(100)
  })

  it("knows the server's last line, not ours", () => {
    const log = openServerLog(serverLogFile(folder(), "s"))
    log.write("first\nboom\n")
    log.write("[joey] ended")
    expect(log.lastLine()).toBe("boom")
  })

  it("a name cannot lead out of the folder, and a full disk hurts nobody", () => {
    expect(serverLogFile("/logs", "../../etc/passwd")).toBe("/logs/_.._.._etc_passwd.log")
    expect(serverLogFile("/logs", "")).toBe("/logs/_.log")
    expect(() => openServerLog("/dev/null/s.log").write("x")).not.toThrow()
    expect(readLogTail("/nowhere.log", 10)).toBe("")
  })
})
