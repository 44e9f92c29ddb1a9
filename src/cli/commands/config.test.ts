import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../../host/temporary-folder.ts"
import { UsageError } from "../arguments.ts"
import { config } from "./config.ts"

interface Shown {
  code: number
  /** Columns are two or more spaces apart. */
  lines: string[][]
  text: string
}

async function show(files: Record<string, string>, args: string[] = [], env: Record<string, string> = {}): Promise<Shown> {
  const folder = await temporaryFolder({ "home/": "", "work/": "", ...files })
  let text = ""
  const stdout = { write: (words: string) => (text += words) }
  const fake: NodeJS.Process = Object.create(process, {
    env: { value: { JOEY_HOME: join(folder, "home"), ...env } },
    cwd: { value: () => join(folder, "work") },
    stdout: { value: stdout },
  })
  const code = await config(args, fake)
  text = text.replaceAll(folder, "")
  return { code, text, lines: text.split("\n").map((line) => line.split(/\s{2,}/)) }
}

describe("joey config", () => {
  it("shows each value and where it came from", async () => {
    const files = { "home/settings.json": '{\n"language": "Deutsch" }', "work/.joey/settings.jsonc": '{ "reminders": 2, }' }
    const { code, lines } = await show(files, ["--model", "ollama/x", "--limit", "turns=3", "--yes"], { JOEY_MODE: "ask" })
    expect(code).toBe(0)
    expect(lines).toContainEqual(["approval", "yes", "flag"])
    expect(lines).toContainEqual(["model", "ollama/x", "flag"])
    expect(lines).toContainEqual(["limits.turns", "3", "flag"])
    expect(lines).toContainEqual(["mode", "ask", "environment JOEY_MODE"])
    expect(lines).toContainEqual(["language", "Deutsch", "/home/settings.json:2"])
    expect(lines).toContainEqual(["reminders", "2", ".joey/settings.jsonc:1"])
    expect(lines).toContainEqual(["limits.mistakes", "5", "default"])
  })

  it("lists what cannot be used, with file and line", async () => {
    const { text } = await show({ "work/.joey/settings.json": '{\n"aproval": "yes",\n"approval": "yes" }' })
    expect(text).toContain(".joey/settings.json:2: There is no setting `aproval`; did you mean `approval`?\n")
    expect(text).toContain(".joey/settings.json:3: `approval` is left out until you trust this project:")
    expect(text).toContain("Yours: /home/settings.json. This project's: .joey/settings.json.\n")
  })

  it("believes the project with --trust-project", async () => {
    const { lines } = await show({ "work/.joey/settings.json": '{ "approval": "yes" }' }, ["--trust-project"])
    expect(lines).toContainEqual(["approval", "yes", ".joey/settings.json:1"])
  })

  it("shows the settings of another folder", async () => {
    const { lines } = await show({ "other/.joey/settings.json": '{ "mode": "ask" }' }, ["--workspace", "../other"])
    expect(lines).toContainEqual(["mode", "ask", ".joey/settings.json:1"])
  })

  it("never shows a key, not even a part of one that is cut", async () => {
    const instructions = `${"x".repeat(50)} hunter2-secret-of-mine`
    const yours = { apiKeyEnv: "MY_KEY", customInstructions: instructions, baseUrl: "https://me:hunter2@host/v1" }
    const { text, lines } = await show({ "home/settings.json": JSON.stringify(yours) }, [], { MY_KEY: "hunter2-secret-of-mine" })
    expect(lines).toContainEqual(["apiKeyEnv", "MY_KEY", "/home/settings.json:1"])
    expect(text).not.toContain("hunter2")
  })

  it("keeps a value on its line, whatever it holds", async () => {
    const { text } = await show({ "home/settings.json": '{ "language": "a\\nb\\u001b[2J" }' })
    expect(text).toContain("a ⏎ b␛[2J")
  })

  it("refuses words and folders that are none", async () => {
    await expect(show({}, ["mode"])).rejects.toThrow(UsageError)
    await expect(show({}, ["--workspace", "nowhere"])).rejects.toThrow(UsageError)
  })
})
