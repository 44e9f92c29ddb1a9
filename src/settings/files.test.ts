import { spawnSync } from "node:child_process"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../host/temporary-folder.ts"
import { readSettingsFile, readSettingsText } from "./files.ts"

/** `line: reason` for each finding, `name=value@line` for each value. */
async function read(text: string): Promise<{ found: string[]; values: string[] }> {
  const { entries, findings } = await readSettingsText(text, "settings.json", "global")
  return {
    found: findings.map(({ line, reason }) => `${line}: ${reason}`),
    values: entries.map(({ path, value, origin }) => {
      return `${path.join(".")}=${JSON.stringify(value)}@${origin.from === "file" ? origin.line : ""}`
    }),
  }
}

describe("readSettingsText", () => {
  it("reads comments, trailing commas, a byte order mark's neighbour and any line end, and knows each value's line", async () => {
    const text =
      '// mine\r\n{\r\n  "$schema": "x",\r\n  "mode": "ask", /* why\r\n not */\r\n  "limits": {\r\n    "turns": 5,\r\n  },\r\n}\r\n'
    expect(await read(text)).toEqual({ found: [], values: ['mode="ask"@4', "limits.turns=5@7"] })
  })

  it.each(["", "  \n", "// nothing yet\n", "{}"])("takes %j for no settings at all", async (text) => {
    expect(await read(text)).toEqual({ found: [], values: [] })
  })

  it("leaves out a wrong value alone, and says where and what was expected", async () => {
    const { found, values } = await read(
      '{\n  "approval": "always",\n  "mode": "ask",\n  "limits": { "turns": "many",\n  "cost": 2 }\n}',
    )
    expect(found).toEqual([
      '2: `approval` is left out: expected one of "ask", "default", "yes", got "always".',
      '4: `limits.turns` is left out: expected integer of at least 0, got "many".',
    ])
    expect(values).toEqual(['mode="ask"@3', "limits.cost=2@5"])
  })

  it("leaves out a wrong entry of a list alone: the other tools stay disabled", async () => {
    const { found, values } = await read('{ "disabledTools": ["one",\n 2, "three"] }')
    expect(found).toEqual(['2: `disabledTools.1` is left out: expected string like "the name of a tool", got 2.'])
    expect(values).toEqual(['disabledTools=["one","three"]@1'])
  })

  it("names what an unknown setting may have meant", async () => {
    const { found } = await read('{ "aproval": "ask", "limits": { "turn": 1 }, "colour": 1 }')
    expect(found).toEqual([
      "1: There is no setting `aproval`; did you mean `approval`?",
      "1: There is no setting `limits.turn`; did you mean `turns`?",
      "1: There is no setting `colour`.",
    ])
  })

  it("S55: reports an unknown experiment and takes the known ones", async () => {
    const { found, values } = await read('{ "experiments": { "runSlashCommand": true,\n "powerSteering": true } }')
    expect(found[0]).toMatch(/^2: There is no experiment `powerSteering`; there are preventFocusDisruption, /)
    expect(values).toEqual(["experiments.runSlashCommand=true@1"])
  })

  it("says that keys do not belong into settings, and repeats none", async () => {
    const { found, values } = await read('{ "apiKey": "hunter2-hunter2",\n "apiKeyEnv": "my-own-key!" }')
    expect(found[0]).toContain("apiKeyEnv, apiKeyFile or apiKeyCommand")
    expect(found[1]).toContain("2: `apiKeyEnv` is left out: expected string like")
    expect(found.join()).not.toMatch(/hunter2|my-own/)
    expect(values).toEqual([])
  })

  it.each([
    ['{\n  "mode": "ask"\n  "reminders": 2\n}', "3: The file is left out: a comma is missing before this."],
    ['{\n  "mode": "ask', "2: The file is left out: a text is not closed on its line."],
    ['{ "mode": "ask"', "1: The file is left out: a closing } is missing."],
    ["{ mode: 1 }", "1: The file is left out: here stands something that is neither"],
    ["\n[]", "2: The file is left out: settings are an object, written in { }."],
    ['"text"', "1: The file is left out: settings are an object"],
    ["mode: code", "1: The file is left out: here stands something"],
    ["[".repeat(60_000), "1: The file is left out: it is nested too deeply."],
  ])("leaves out a broken file whole, with one finding (%#)", async (text, finding) => {
    const { found, values } = await read(text)
    expect(values).toEqual([])
    expect(found).toHaveLength(1)
    expect(found[0]?.startsWith(finding)).toBe(true)
  })

  it("lets the last of two same names count, and says so", async () => {
    const { found, values } = await read('{ "mode": "ask",\n "mode": "code" }')
    expect(found).toEqual(["2: `mode` is written more than once; the last one counts."])
    expect(values).toEqual(['mode="code"@2'])
  })

  it("is not led astray by names that objects inherit", async () => {
    const { found, values } = await read(
      '{ "__proto__": { "approval": "yes" }, "customModePrompts": { "__proto__": {}, "constructor": { "whenToUse": "x" } } }',
    )
    expect(found).toHaveLength(2)
    expect(values).toEqual(['customModePrompts.constructor.whenToUse="x"@1'])
  })

  it("keeps its words on one line and harmless, whatever the file holds", async () => {
    const { found } = await read('{ "a\\u001b[2Jb\\nc": 1, "mode": "\\u001b]0;x\\u0007\\n\\u202e" }')
    expect(found).toHaveLength(2)
    expect(found.join("")).not.toMatch(/[\u0000-\u001f\u202e]/)
  })

  it("does not drown in findings", async () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`nothing${index}`, 1])))
    const { found } = await read(text)
    expect(found).toHaveLength(21)
    expect(found.at(-1)).toContain("4980 more")
  })
})

describe("readSettingsFile", () => {
  const reasons = async (folder: string) => (await readSettingsFile(folder, "project")).findings.map(({ reason }) => reason)

  it("finds settings.json or settings.jsonc, and nothing is fine too", async () => {
    expect(await readSettingsFile(await temporaryFolder(), "global")).toEqual({ entries: [], findings: [] })
    const folder = await temporaryFolder({ "settings.jsonc": '\ufeff{ "mode": "ask" }' })
    const { entries } = await readSettingsFile(folder, "global")
    const file = join(folder, "settings.jsonc")
    expect(entries).toEqual([{ path: ["mode"], value: "ask", origin: { from: "file", scope: "global", file, line: 1 } }])
  })

  it("reads settings.json when both are there, and says so", async () => {
    const folder = await temporaryFolder({ "settings.json": '{ "mode": "ask" }', "settings.jsonc": '{ "mode": "code" }' })
    const { entries, findings } = await readSettingsFile(folder, "global")
    expect(entries.map(({ value }) => value)).toEqual(["ask"])
    expect(findings).toEqual([
      { file: join(folder, "settings.jsonc"), reason: "is left out: settings.json beside it is read instead." },
    ])
  })

  it("leaves out what is no small text file, and never waits for it", async () => {
    expect(await reasons(await temporaryFolder({ "settings.json/": "" }))).toEqual(["The file is left out: it is not a file."])
    const big = await temporaryFolder({ "settings.json": `{}${" ".repeat(200_000)}` })
    expect(await reasons(big)).toEqual(["The file is left out: it is larger than 128 KB."])
    const foreign = await temporaryFolder({ "settings.json": Buffer.from("\ufeff{}", "utf16le") })
    expect(await reasons(foreign)).toEqual(["The file is left out: it is not UTF-8 text."])
    const device = await temporaryFolder()
    symlinkSync("/dev/zero", join(device, "settings.json"))
    expect(await reasons(device)).toEqual(["The file is left out: it is not a file."])
    const circle = await temporaryFolder()
    symlinkSync("settings.json", join(circle, "settings.json"))
    expect(await reasons(circle)).toEqual(["The file is left out: it cannot be read (ELOOP)."])
  })

  it("does not wait for a pipe in the file's place", async () => {
    const folder = await temporaryFolder()
    spawnSync("mkfifo", [join(folder, "settings.json")])
    expect(await reasons(folder)).toEqual(["The file is left out: it is not a file."])
  })
})
