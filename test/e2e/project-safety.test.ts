/** What a hostile or damaged project cannot do: read what is ignored, run a program through git, or end a command with a stack. */
import { execFileSync, spawnSync } from "node:child_process"
import { appendFileSync, chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { call, reply, type Scenario } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { type Finished, type Place, place } from "./joey.ts"

const done = reply(call("attempt_completion", { result: "Done." }))

async function scripted(scenario: Scenario) {
  const model = await startScriptedModel(scenario)
  onTestFinished(() => model.close())
  return { model, target: ["--base-url", model.url, "--model", "m", "--yes"] }
}

describe("ignore files that cannot be read", () => {
  it("keep everything back: reading, listing, searching, mentions and the first look; the person is told in one line", async () => {
    const { model, target } = await scripted([
      reply(
        call("read_file", { path: "open.txt" }),
        call("list_files", { path: ".", recursive: true }),
        call("list_files", { path: "deep", recursive: false }),
        call("search_files", { path: ".", regex: "find", file_pattern: null }),
        call("write_to_file", { path: "new.txt", content: "x" }),
      ),
      done,
    ])
    const here = place({ "open.txt": "find the treasure", "deep/also.txt": "find the treasure" })
    symlinkSync("nowhere", join(here.workspace, ".rooignore"))
    const { stderr, code } = await here.run([...target, "look at @/open.txt and @/deep/"])
    expect(code).toBe(0)
    expect(stderr).toBe("joey: .rooignore: is a link that leads nowhere; until it can be read, every file is ignored\n")
    expect(JSON.stringify(model.requests)).not.toMatch(/treasure|also\.txt/)
    expect(existsSync(join(here.workspace, "new.txt"))).toBe(false)
  })

  it("are named to the model, which is told that commands are not held back by them", async () => {
    const { model, target } = await scripted([done])
    await place({ ".rooignore": "secret/\n" }).run([...target, "hello"])
    expect(JSON.stringify(model.requests[0])).toMatch(/Out of bounds.*A program you run could still open such files.*secret\//)
  })
})

describe("files that steer Joey, git or an editor", () => {
  it.each([
    "AGENTS.md",
    ".roomodes",
    ".roo/rules/x.md",
    ".git/hooks/pre-commit",
    ".vscode/tasks.json",
    "deep/.joey/settings.json",
  ])("S28: %s is asked about before it is written, even with --yes", async (path) => {
    const { target } = await scripted([reply(call("write_to_file", { path, content: "obey" })), done])
    const here = place()
    const { code, stdout } = await here.run([...target, "write it"])
    expect(code).toBe(3)
    expect(stdout).toMatch(/waits for approval/)
    expect(existsSync(join(here.workspace, path))).toBe(false)
  })
})

describe("git in a hostile repository", () => {
  it("runs none of its programs for @git-changes and @commit, and shows nothing that is ignored", async () => {
    const here = place({ "a.txt": "one\n", ".env": "KEY=1\n", ".rooignore": ".env\n" })
    const git = (...args: string[]) => execFileSync("git", args, { cwd: here.workspace, encoding: "utf8" })
    git("init", "--quiet")
    git("add", ".")
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "first")
    const hash = git("rev-parse", "HEAD").trim()
    const sprung = join(here.home, "..", "sprung")
    const trap = `[core]\n\tfsmonitor = "touch ${sprung}"\n[filter "t"]\n\tclean = "touch ${sprung}; cat"\n[diff "t"]\n\ttextconv = "touch ${sprung}; cat"\n`
    appendFileSync(join(here.workspace, ".git/config"), trap)
    here.write(".gitattributes", "* filter=t diff=t\n")
    here.write("a.txt", "two\n")
    here.write(".env", "KEY=hunter2\n")
    const { model, target } = await scripted([done])
    await here.run([...target, `what is in @git-changes and in @${hash}?`])
    expect(existsSync(sprung)).toBe(false)
    const heard = JSON.stringify(model.requests[0])
    expect(heard).toContain("+two")
    expect(heard).not.toMatch(/KEY=/)
  })
})

describe("a mode that is gone when a task goes on", () => {
  it("S43: is said, and the task goes on in a mode that there is", async () => {
    const here = place({
      ".roomodes": "customModes:\n  - slug: writer\n    name: W\n    roleDefinition: You write.\n    groups: [read]\n",
    })
    const { model, target } = await scripted([done, done])
    await here.run([...target, "--mode", "writer", "hello"])
    rmSync(join(here.workspace, ".roomodes"))
    const { code, stderr, stdout } = await here.run([...target, "--continue", "more"])
    expect(code).toBe(0)
    expect(stderr + stdout).toMatch(/no mode "writer"/)
    expect(JSON.stringify(model.requests[1])).not.toContain("You write.")
    expect(model.requests[1]?.tools?.map((tool) => tool.function.name)).toContain("write_to_file")
  })
})

/** As somebody who is not root, for whom files can be closed; undefined where that cannot be had. */
function plainPerson(here: Place): ((args: string[]) => Finished) | undefined {
  const isRoot = process.getuid?.() === 0
  const home = join(here.home, "..", "plain-home")
  mkdirSync(home)
  chmodSync(home, 0o777)
  chmodSync(join(here.home, ".."), 0o755)
  const run = (args: string[]): Finished => {
    const { status, signal, stdout, stderr } = spawnSync(process.execPath, [resolve("dist/joey.js"), ...args], {
      cwd: here.workspace,
      encoding: "utf8",
      env: { PATH: process.env["PATH"] ?? "", HOME: home, JOEY_HOME: join(home, ".joey") },
      ...(isRoot && { uid: 65_534, gid: 65_534 }),
    })
    return { code: status, signal, stdout, stderr }
  }
  return run(["--version"]).code === 0 ? run : undefined
}

describe("joey config, rules and prompt in odd folders", () => {
  it("S46: closed files and folders are one line each, the rest is read (does nothing where nobody but root can read the build)", () => {
    const here = place({
      "AGENTS.md": "RULE-OPEN",
      ".roo/rules/closed.md": "x",
      ".roo/skills/a/SKILL.md": "---\ndescription: x\n---\n",
      ".joey/modes/m.md": "x",
      ".joey/settings.json": "{}",
      ".roo/commands/c.md": "x",
    })
    const close = [".roo/rules/closed.md", ".roo/skills", ".joey/modes", ".joey/settings.json", ".roo/commands"]
    for (const path of close) chmodSync(join(here.workspace, path), 0)
    onTestFinished(() => {
      for (const path of close) chmodSync(join(here.workspace, path), 0o755)
    })
    const run = plainPerson(here)
    const { code, stdout, stderr } = run?.(["prompt"]) ?? { code: 0, stdout: "RULE-OPEN", stderr: close.join("\n") }
    expect(code).toBe(0)
    expect(stdout).toContain("RULE-OPEN")
    const lines = stderr.trim().split("\n")
    expect(lines).toHaveLength(close.length)
    for (const path of close) expect(lines.filter((line) => line.includes(path))).toHaveLength(1)
  })

  it("a folder that cannot be looked into, or entered, is one line (does nothing where nobody but root can read the build)", () => {
    const here = place({ "closed/in/AGENTS.md": "x" })
    const closed = join(here.workspace, "closed")
    chmodSync(closed, 0)
    onTestFinished(() => chmodSync(closed, 0o755))
    const run = plainPerson(here)
    for (const command of run ? ["config", "rules", "prompt"] : []) {
      for (const folder of ["closed", "closed/in"]) {
        const { code, stdout, stderr } = run?.([command, "--workspace", folder]) ?? {}
        expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
        expect(stderr).toMatch(/^joey: The folder \/.*closed.* cannot be read; choose another with --workspace DIR\.\n$/)
      }
    }
  })

  it("empty, missing, a file, a link that leads nowhere, the root of the disk: an answer or one line", async () => {
    const here = place({ file: "x" })
    mkdirSync(join(here.workspace, "empty"))
    symlinkSync("nowhere", join(here.workspace, "dangling"))
    symlinkSync("empty", join(here.workspace, "link"))
    writeFileSync(join(here.workspace, "empty/.keep"), "")
    const cases: [string, number, RegExp][] = [
      ["empty", 0, /^$/],
      ["link", 0, /^$/],
      ["/", 0, /^$/],
      ["file", 2, /^joey: \/.*file is not a folder; choose one with --workspace DIR\.\n$/],
      ["missing", 2, /^joey: The folder \/.*missing does not exist; choose another with --workspace DIR\.\n$/],
      ["dangling", 2, /does not exist/],
    ]
    for (const command of ["config", "rules", "prompt"]) {
      await Promise.all(
        cases.map(async ([folder, code, said]) => {
          const finished = await here.run([command, "--workspace", folder], { env: { HOME: here.home } })
          expect({ folder, code: finished.code }).toEqual({ folder, code })
          expect(finished.stderr).toMatch(said)
        }),
      )
    }
  })
})
