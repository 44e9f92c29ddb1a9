/** Commands behind walls, through the built command: what they can write and see, in modes that edit and in those that only read. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { sandboxProblem } from "../../src/host/sandbox.ts"
import { type ChatRequest, repliesSoFar } from "../../src/scripted-model/chat-request.ts"
import { call, type Piece, reply } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import type { Json } from "../../src/types/json.ts"
import { type Place, place } from "./joey.ts"

const problem = await sandboxProblem()
const needed = "(needs bubblewrap; skipped where it cannot make a sandbox)"

/**
 * Runs each line in a script of its own, so that policy, which reads command lines, lets it pass and only the walls are left. Gives what the
 * model was told of each.
 */
async function runLines(
  here: Place,
  settings: Json,
  lines: string[],
  options: { args?: string[]; calls?: Piece[]; hidden?: string } = {},
) {
  const requests: ChatRequest[] = []
  const model = await startScriptedModel((request) => {
    requests.push(request)
    if (repliesSoFar(request) > 0) return reply(call("attempt_completion", { result: "Done." }))
    const commands = lines.map((_, at) => call("execute_command", { command: `sh ./step-${at}.sh` }))
    return reply(...commands, ...(options.calls ?? []))
  })
  onTestFinished(() => model.close())
  for (const [at, line] of lines.entries()) here.write(`step-${at}.sh`, `${line}\n`)
  mkdirSync(here.home, { recursive: true })
  writeFileSync(join(here.home, "settings.json"), JSON.stringify(settings))
  const target = ["--base-url", model.url, "--model", "scripted", "--yes", ...(options.args ?? []), "go"]
  const { code, stdout, stderr } = await here.run(target, { ...(options.hidden && { hidden: options.hidden }) })
  const told = here.log().flatMap((event) => {
    if (event.type !== "call-finished" || event.tool === "attempt_completion") return []
    return [event.content.map((part) => (part.type === "text" ? part.text : "")).join("\n")]
  })
  return { code, told, output: stdout + stderr, system: JSON.stringify(requests[0]?.messages[0]) }
}

describe.skipIf(problem !== undefined)(`sandbox ${needed}`, () => {
  it("lets commands write in the workspace and nowhere else, and says so to the model", async () => {
    const here = place({ "a.txt": "a" })
    const outside = join(here.home, "../outside.txt")
    const lines = ["echo b > b.txt", `echo x > ${outside}`, `cat ${here.home}/settings.json`, "touch /usr/joey-e2e-sandbox"]
    const { code, told, output, system } = await runLines(here, { sandbox: { enabled: true } }, lines)
    expect(code, output).toBe(0)
    expect(system).toContain("Commands run in a sandbox: they write only in the workspace")
    expect(here.read("b.txt")).toBe("b\n")
    expect(existsSync(outside)).toBe(false)
    expect(told[2]).toMatch(/No such file/)
    expect(told[3]).toMatch(/Read-only file system/)
  })

  it("is put up by --sandbox, for custom tools too", async () => {
    const tool =
      'import { writeFileSync } from "node:fs"\nexport default { name: "leak", description: "x", parameters: {}, execute() { writeFileSync("inside", "x"); writeFileSync("/usr/joey-e2e-sandbox", "x") } }'
    const here = place({ ".joey/tools/leak.mjs": tool })
    const { told } = await runLines(here, {}, ["touch /usr/joey-e2e-sandbox"], {
      args: ["--sandbox", "--trust-project"],
      calls: [call("leak", {})],
    })
    expect(told[0]).toMatch(/Read-only file system/)
    expect(told[1]).toMatch(/EROFS: read-only file system/)
    expect(existsSync(join(here.workspace, "inside"))).toBe(true)
  })

  it("asked for where bubblewrap is missing runs nothing, and says how to get it", async () => {
    const here = place()
    const { told, output } = await runLines(here, {}, ["touch made"], { args: ["--sandbox"], hidden: "/usr/bin/bwrap" })
    expect(told[0]).toMatch(/^The sandbox needs bubblewrap: install the package bubblewrap .* Nothing was run\./)
    expect(existsSync(join(here.workspace, "made")), output).toBe(false)
    const { code, stdout } = await here.run(["doctor", "--sandbox"], { hidden: "/usr/bin/bwrap" })
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^✗ Sandbox +The sandbox needs bubblewrap: install .*\)\.$/m)])
  })

  it("lets commands only read in a mode that does not edit, and have no network where that is off", async () => {
    const here = place({
      ".roomodes": "customModes:\n  - slug: look\n    name: Look\n    roleDefinition: You look.\n    groups: [read, command]\n",
    })
    const settings = { sandbox: { enabled: true, network: false } }
    const { told, system } = await runLines(here, settings, ["echo b > b.txt", "grep -c : /proc/net/dev"], {
      args: ["--mode", "look"],
    })
    expect(system).toContain("cannot change the workspace and write only in a /tmp of their own, have no network")
    expect(told[0]).toMatch(/Read-only file system/)
    expect(told[1]).toMatch(/\n1$/)
    expect(existsSync(join(here.workspace, "b.txt"))).toBe(false)
  })

  it("cannot be switched off by a project that nobody trusts", async () => {
    const here = place({ ".joey/settings.json": '{ "sandbox": { "enabled": false, "writable": ["/usr"] } }' })
    const { told } = await runLines(here, { sandbox: { enabled: true } }, [
      "touch /usr/joey-e2e-sandbox",
      "echo '{}' > .joey/settings.json",
    ])
    expect(told[0]).toMatch(/Read-only file system/)
    expect(told[1]).toMatch(/Read-only file system/)
    expect(readFileSync(join(here.workspace, ".joey/settings.json"), "utf8")).toContain("/usr")
  })
})
