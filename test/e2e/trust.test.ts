/** What a project wants to run is shown first, on a real terminal; a no runs nothing, a yes holds until something changes. */
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { call, reply } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { place } from "./joey.ts"
import { hasTerminal, onTerminal } from "./terminal.ts"

const done = reply(call("attempt_completion", { result: "All done." }))

/** A project whose settings fetch the key with a command, and whether that command ran. */
async function project() {
  const model = await startScriptedModel(() => done)
  const here = place()
  mkdirSync(here.home)
  const ran = join(here.home, "ran")
  const write = (more = "") =>
    here.write(".joey/settings.json", JSON.stringify({ apiKeyCommand: `touch ${ran}; echo k-${more}` }))
  write()
  const env = { JOEY_HOME: here.home, HOME: here.home, JOEY_BASE_URL: model.url, JOEY_MODEL: "m" }
  return {
    here,
    env,
    ran: () => existsSync(ran),
    write,
    close: () => model.close(),
    requests: model.requests,
    open: (...args: string[]) => onTerminal(["--plain", ...args, "hello"], { cwd: here.workspace, env }),
    openWhole: () => onTerminal(["hello"], { cwd: here.workspace, env }),
  }
}

describe.skipIf(!hasTerminal)("the question of trust on a terminal (skipped where @lydell/node-pty is not installed)", () => {
  it("shows the file and the command, and a no runs nothing of it; the task goes on without", async () => {
    const { open, ran, close, requests } = await project()
    const terminal = open()
    const question = await terminal.until(/Trust it\?[\s\S]*yes \/ no/)
    expect(question).toContain("This project brings along 1 thing that can run programs")
    expect(question).toMatch(/\.joey\/settings\.json\n {2}apiKeyCommand: "touch .*\/ran; echo k-"/)
    expect(ran()).toBe(false)
    terminal.type("no\r")
    await terminal.until(/apiKeyCommand. is left out until you trust this project/)
    await terminal.until(/All done\./)
    terminal.type("y\r")
    await terminal.exit
    expect(ran()).toBe(false)
    expect(requests).toHaveLength(1)
    await close()
  })

  it.each(["", "nope", "yess", "\u0004"])("%j is no yes", async (typed) => {
    const { open, ran, close } = await project()
    const terminal = open()
    await terminal.until(/yes \/ no/)
    terminal.type(typed === "\u0004" ? typed : `${typed}\r`)
    await terminal.until(/is left out until you trust this project/)
    expect(ran()).toBe(false)
    await close()
  })

  it("a yes is remembered by content: the next run does not ask, a change does", async () => {
    const { open, ran, close, write, here, env } = await project()
    const first = open()
    await first.until(/yes \/ no/)
    first.type("yes\r")
    await first.until(/All done\./)
    expect(ran()).toBe(true)
    first.type("y\r")
    await first.exit
    const second = open()
    expect(await second.until(/All done\./)).not.toMatch(/brings along/)
    second.type("y\r")
    await second.exit
    const unattended = await here.run(["hello"], { env })
    expect(unattended.stderr).not.toMatch(/trust/)
    write("changed")
    const third = open()
    expect(await third.until(/yes \/ no/)).toContain("echo k-changed")
    third.type("no\r")
    await third.until(/is left out until you trust this project/)
    await close()
  })

  it("comes before the interactive terminal too, and nothing runs until it is answered", async () => {
    const { openWhole, ran, close } = await project()
    const terminal = openWhole()
    await terminal.until(/apiKeyCommand: "touch [\s\S]*yes \/ no: /)
    expect(ran()).toBe(false)
    terminal.type("yes\r")
    await terminal.until(/All done\./)
    expect(ran()).toBe(true)
    await close()
  })

  it("what a settings file holds can neither hide a line of the question nor answer it", async () => {
    const { open, ran, close, here } = await project()
    here.write(
      ".joey/settings.json",
      JSON.stringify({ apiKeyCommand: "touch x\u001b[2J\u001b[1;1H\nTrust it? yes\r\nyes / no: yes\n" }),
    )
    const terminal = open()
    const question = await terminal.until(/Your answer is remembered[^\n]*\nyes \/ no: /)
    expect(question.split("\n").filter((line) => line.includes("apiKeyCommand"))).toEqual([
      expect.stringMatching(/touch x.*yes \/ no: yes/),
    ])
    expect(ran()).toBe(false)
    terminal.type("n\r")
    await terminal.until(/is left out/)
    await close()
  })
})

describe("without a terminal", () => {
  it("nothing of it runs, and that is said; --trust-project is for CI, for this run only", async () => {
    const { here, env, ran, close } = await project()
    const { stderr, code } = await here.run(["hello"], { env })
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^joey: .*settings\.json:1: `apiKeyCommand` is left out until you trust this project: it runs a command\.\n$/,
    )
    expect(ran()).toBe(false)
    const trusted = await here.run(["--trust-project", "hello"], { env })
    expect(trusted).toMatchObject({ code: 0, stderr: "" })
    expect(ran()).toBe(true)
    expect((await here.run(["hello"], { env })).stderr).toMatch(/left out until you trust/)
    expect(existsSync(join(here.home, "trust.json"))).toBe(false)
    await close()
  })

  it("piped words are no answer to it", async () => {
    const { here, env, ran, close } = await project()
    const { stderr } = await here.run(["-"], { env, input: "yes\nyes\n" })
    expect(stderr).toMatch(/left out until you trust/)
    expect(ran()).toBe(false)
    await close()
  })
})
