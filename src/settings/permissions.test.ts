/** Rules and toggles in settings: what a project may add, what needs trust, and that a rule which cannot be read is not forgotten. */
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../host/temporary-folder.ts"
import { defaults } from "./defaults.ts"
import { type LoadedSettings, loadSettings } from "./load.ts"

async function load(yours: object | string, theirs: object | string, trustProject = false): Promise<LoadedSettings> {
  const text = (content: object | string) => (typeof content === "string" ? content : JSON.stringify(content, null, 2))
  const folder = await temporaryFolder({ "home/settings.json": text(yours), "work/.joey/settings.json": text(theirs) })
  return loadSettings({ home: join(folder, "home"), workspace: join(folder, "work"), env: {}, trustProject })
}

describe("rules in settings", () => {
  it("S28: those of a project that deny or ask are added to the person's, trusted or not", async () => {
    const { settings, origins, untrusted, findings } = await load(
      { permissions: { deny: ["Read(a)", "Read(b)"], ask: ["Bash"] }, deniedCommands: ["rm"] },
      { permissions: { deny: ["Read(c)"], ask: ["Edit"] }, deniedCommands: ["dd"] },
    )
    expect(settings.permissions).toEqual({ allow: [], ask: ["Bash", "Edit"], deny: ["Read(a)", "Read(b)", "Read(c)"] })
    expect(settings.deniedCommands).toEqual(["rm", "dd"])
    expect({ untrusted, findings }).toEqual({ untrusted: [], findings: [] })
    expect(origins["permissions.deny.1"]).toMatchObject({ scope: "global", line: 5 })
    expect(origins["permissions.deny.2"]).toMatchObject({ scope: "project", line: 4 })
    expect(origins["permissions.deny"]).toBeUndefined()
    expect(origins["permissions.allow"]).toEqual({ from: "default" })
  })

  it("S28: those of a project that allow wait for trust, and are added then", async () => {
    const yours = { permissions: { allow: ["Bash(ls *)"] } }
    const theirs = { permissions: { allow: ["Bash"], deny: ["Read(c)"] }, allowedCommands: ["curl"] }
    const before = await load(yours, theirs)
    expect(before.settings).toMatchObject({ permissions: { allow: ["Bash(ls *)"], deny: ["Read(c)"] }, allowedCommands: [] })
    expect(before.findings.map(({ line }) => line)).toEqual([3, 10])
    expect(before.untrusted[0]?.what).toEqual(['permissions.allow: ["Bash"]', 'allowedCommands: ["curl"]'])
    const after = await load(yours, theirs, true)
    expect(after.settings).toMatchObject({ permissions: { allow: ["Bash(ls *)", "Bash"] }, allowedCommands: ["curl"] })
  })

  it("S28: a project can turn toggles off, but on only with trust", async () => {
    const yours = { autoApprove: { write: true, followup: { seconds: 60 } } }
    const stricter = await load(yours, { autoApprove: { write: false, readOnly: false, followup: { seconds: 0 } } })
    expect(stricter.settings.autoApprove).toMatchObject({ write: false, readOnly: false, followup: { seconds: 0 } })
    expect(stricter.untrusted).toEqual([])
    const looser = await load(yours, { autoApprove: { execute: true, writeOutside: true, followup: { seconds: 1 } } })
    expect(looser.settings.autoApprove).toEqual({ ...defaults.autoApprove, ...yours.autoApprove })
    expect(looser.findings).toHaveLength(3)
  })

  it("S28: what a project repeats of the person's own needs no trust", async () => {
    const { untrusted } = await load({ permissions: { allow: ["Bash(ls *)"] } }, { permissions: { allow: ["Bash(ls *)"] } })
    expect(untrusted).toEqual([])
  })
})

describe("a rule that cannot be read", () => {
  it.each<[string, object | string]>([
    ["a file that is no JSON", '{ "permissions": { "deny": ["Read(a)"] '],
    ["rules that are no list", { permissions: { deny: "Read(a)" } }],
    ["a rule that is no text", { permissions: { deny: ["Read(a)", 1] } }],
    ["rules that are no object", { permissions: ["Read(a)"] }],
    ["a list of commands that is none", { deniedCommands: "rm" }],
    ["a slip of the pen", { permissions: { dney: ["Read(a)"] } }],
    ["a list written twice", '{ "permissions": { "deny": ["Read(a)"], "deny": [] } }'],
  ])("S28: %s is reported as what may hide one", async (_, content) => {
    for (const [yours, theirs] of [
      [content, {}],
      [{}, content],
    ] as const) {
      const { unread, findings } = await load(yours, theirs)
      expect(unread).toHaveLength(1)
      expect(findings).toContainEqual(unread[0])
    }
  })

  it("is none when only something else is wrong", async () => {
    const { unread } = await load({ permissions: { allow: "Bash", defaultMode: "plan" }, limits: { turns: -1 } }, { mode: 1 })
    expect(unread).toEqual([])
  })
})
