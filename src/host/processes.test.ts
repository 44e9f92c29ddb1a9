import { spawnSync } from "node:child_process"
import { chmod, symlink } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Host, RunOptions } from "../types/host.ts"
import { refusal } from "./contract.ts"
import { localHost } from "./local.ts"
import { findShell } from "./shell.ts"
import { temporaryFolder } from "./temporary-folder.ts"

async function hear(host: Host, shell: string, options: RunOptions = {}) {
  let heard = ""
  const outcome = await host.run({ shell }, { ...options, onOutput: (text) => (heard += text) })
  return { heard, outcome }
}

const newHost = async () => localHost(await temporaryFolder())

/** Processes whose command line has this number of seconds. */
function sleepersOf(seconds: string): number {
  return spawnSync("pgrep", ["-f", `^sleep ${seconds}$`])
    .stdout.toString()
    .split("\n")
    .filter(Boolean).length
}

/** A number no other sleeper has. */
function unique(): string {
  return `9${Math.floor(Math.random() * 1e8)}.5`
}

describe("a process", () => {
  it("finds its input closed, no terminal and no pager", async () => {
    const { heard } = await hear(await newHost(), 'cat; tty; echo "$PAGER $GIT_PAGER $TERM"; (: < /dev/tty) 2>&1 | grep -c .')
    expect(heard).toBe("not a tty\ncat cat dumb\n1\n")
  })

  it("leads a group of its own", async () => {
    const { heard } = await hear(await newHost(), "echo $$ $(ps -o pgid= -p $$)")
    const [pid, group] = heard.trim().split(/\s+/)
    expect(pid).toBe(group)
  })

  it("is heard in whole characters, wherever the chunks are cut", async () => {
    const { heard } = await hear(await newHost(), "printf '\\xe2\\x82'; sleep 0.1; printf '\\xac!'")
    expect(heard).toBe("€!")
  })

  it("is heard to its last word, also when it prints much and leaves at once", async () => {
    const { heard, outcome } = await hear(await newHost(), "head -c 3000000 /dev/zero | tr '\\0' x; echo end")
    expect(outcome.exitCode).toBe(0)
    expect(heard.length).toBe(3_000_004)
    expect(heard.endsWith("end\n")).toBe(true)
  })

  it("tells the signal that ended it", async () => {
    expect((await hear(await newHost(), "kill -9 $$")).outcome).toEqual({ exitCode: null, signal: "SIGKILL", ending: "exited" })
  })

  it("does not wait for what it left in the background", async () => {
    const seconds = unique()
    onTestFinished(() => void spawnSync("pkill", ["-f", `^sleep ${seconds}$`]))
    const began = performance.now()
    const { heard, outcome } = await hear(await newHost(), `sleep ${seconds} & echo started`)
    expect(outcome).toEqual({ exitCode: 0, ending: "exited" })
    expect(heard).toBe("started\n")
    expect(performance.now() - began).toBeLessThan(5000)
    expect(sleepersOf(seconds)).toBe(1)
  })

  it("runs where it is told, and says where it is", async () => {
    const folder = await temporaryFolder({ "sub/a.txt": "" })
    await symlink("sub", join(folder, "link"))
    const host = localHost(folder)
    expect((await hear(host, "pwd; ls", { cwd: "sub" })).heard).toBe(`${folder}/sub\na.txt\n`)
    expect((await hear(host, "pwd -P", { cwd: "link" })).heard).toBe(`${folder}/sub\n`)
  })

  it("whose listener throws is ended, and the run rejects with that error", async () => {
    const host = await newHost()
    const onOutput = () => {
      throw new Error("a bug in the listener")
    }
    await expect(host.run({ shell: "echo x; sleep 30" }, { onOutput })).rejects.toThrow("a bug in the listener")
  })

  it("that cannot be a process is refused in words", async () => {
    const folder = await temporaryFolder({ "data.txt": "x" })
    const host = localHost(folder)
    await chmod(join(folder, "data.txt"), 0o644)
    await expect(host.run({ shell: "echo \0" })).rejects.toEqual(refusal("other"))
    await expect(host.run({ shell: `: ${"x".repeat(3_000_000)}` })).rejects.toEqual(refusal("other"))
    await expect(host.run({ program: join(folder, "data.txt"), args: [] })).rejects.toEqual(refusal("no-access"))
  })
})

describe("ending a process", () => {
  it("A.8.25: takes its children and grandchildren along", async () => {
    const seconds = unique()
    const { outcome } = await hear(await newHost(), `sleep ${seconds} & (sleep ${seconds} & wait) & wait`, { timeoutMs: 200 })
    expect(outcome.ending).toBe("timed-out")
    expect(sleepersOf(seconds)).toBe(0)
  })

  it("lets it end in its own way first", async () => {
    const command = "trap 'echo closing; exit 7' TERM; echo ready; while :; do sleep 0.05; done"
    const { heard, outcome } = await hear(await newHost(), command, { timeoutMs: 300 })
    expect(heard).toMatch(/^ready\n(Terminated\n)?closing\n$/)
    expect(outcome).toEqual({ exitCode: 7, ending: "timed-out" })
  })

  it("kills what does not listen, and keeps what it printed", async () => {
    const stop = new AbortController()
    const seconds = unique()
    let heard = ""
    const outcome = await (await newHost()).run(
      { shell: `trap '' TERM; echo deaf; sleep ${seconds}; sleep ${seconds}` },
      {
        signal: stop.signal,
        onOutput: (text) => {
          heard += text
          stop.abort()
        },
      },
    )
    expect(heard).toBe("deaf\n")
    expect(outcome).toEqual({ exitCode: null, signal: "SIGKILL", ending: "cancelled" })
    expect(sleepersOf(seconds)).toBe(0)
  })

  it("kills a deaf child also when its parent ended in time", async () => {
    const seconds = unique()
    const command = `(trap '' TERM; echo; exec sleep ${seconds}) & wait`
    expect((await hear(await newHost(), command, { timeoutMs: 300 })).outcome.ending).toBe("timed-out")
    expect(sleepersOf(seconds)).toBe(0)
  })

  it("happens at our own exit, for which one listener is enough", async () => {
    const host = await newHost()
    await host.run({ shell: "true" })
    const listeners = process.listenerCount("exit")
    await Promise.all([host.run({ shell: "true" }), host.run({ shell: "true" })])
    expect(process.listenerCount("exit")).toBe(listeners)
  })

  it("A.8.25: finds children that went into a session of their own", async () => {
    const seconds = unique()
    const command = `setsid sh -c 'trap "" TERM; setsid sleep ${seconds} & wait' & wait`
    expect((await hear(await newHost(), command, { timeoutMs: 300 })).outcome.ending).toBe("timed-out")
    expect(sleepersOf(seconds)).toBe(0)
  })

  it("happens when our process ends while a command, a background job and a daemon run", async () => {
    const [job, command, daemon] = [unique(), unique(), unique()]
    const folder = await temporaryFolder({
      "ours.mts": `import { localHost } from ${JSON.stringify(join(import.meta.dirname, "local.ts"))}
const host = localHost(".")
await host.run({ shell: "sleep ${job} > /dev/null 2>&1 &" })
await host.run({ shell: "setsid sleep ${daemon} > /dev/null 2>&1 &" })
host.run({ shell: "echo up; sleep ${command}" }, { onOutput: () => process.exit(0) })`,
    })
    const tsx = join(import.meta.dirname, "../../node_modules/tsx/dist/cli.mjs")
    expect(spawnSync(process.execPath, [tsx, "ours.mts"], { cwd: folder }).status).toBe(0)
    await sleep(50)
    expect([sleepersOf(job), sleepersOf(command), sleepersOf(daemon)]).toEqual([0, 0, 0])
  })
})

describe("the shell", () => {
  it("S42: is bash where there is one, else /bin/sh, whatever $SHELL says", async () => {
    const { heard } = await hear(await newHost(), "echo $BASH_VERSION")
    const bash = await findShell(undefined)
    expect(heard.trim() === "").toBe(!bash.program.endsWith("bash"))
    expect(await findShell("no-such-shell")).toEqual({ program: "/bin/sh", missing: "no-such-shell" })
    expect(await findShell("/nowhere/zsh")).toEqual({ program: "/bin/sh", missing: "/nowhere/zsh" })
  })

  it("S42: falls back to /bin/sh when the configured one is missing, and says so", async () => {
    const host = localHost(await temporaryFolder(), { shell: "no-such-shell" })
    const { heard, outcome } = await hear(host, "echo works")
    expect(heard).toBe("(no-such-shell is not here; /bin/sh runs this instead)\nworks\n")
    expect(outcome.exitCode).toBe(0)
  })

  it("A.12.35: does not see a key that is withheld", async () => {
    process.env["SOME_PLACE"] = "secret"
    onTestFinished(() => void delete process.env["SOME_PLACE"])
    const host = localHost(await temporaryFolder(), { withheld: ["SOME_PLACE"] })
    expect((await hear(host, "env")).heard).not.toContain("secret")
  })
})
