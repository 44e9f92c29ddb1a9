import { describe, expect, it, onTestFinished } from "vitest"
import { ripgrep, sleepers, uniqueSleep } from "./job-test.ts"
import { openJobs } from "./jobs.ts"
import { temporaryFolder } from "./temporary-folder.ts"

const available = await import("@lydell/node-pty").then(
  () => true,
  () => false,
)

async function onTerminal(line: string) {
  const jobs = openJobs({ folder: await temporaryFolder(), ripgrep })
  onTestFinished(() => jobs.close())
  return jobs.start(line, { cwd: "/tmp", terminal: true })
}

describe.skipIf(!available)("a command on a terminal (skipped where @lydell/node-pty is not installed)", () => {
  it("S42: has one, and answers to what is typed", async () => {
    const job = await onTerminal("test -t 0 && test -t 1 && echo terminal; read -p 'name? ' name; echo \"hello $name\"")
    while (!job.printed().text.includes("name?")) await job.wait({ ms: 20 })
    await job.write("joey\n")
    await job.wait()
    expect(job.printed().text).toBe("terminal\nname? joey\nhello joey\n")
    expect(job.outcome).toEqual({ exitCode: 0, ending: "exited" })
    expect(job.notices).toEqual([])
    await expect(job.write("late")).rejects.toMatchObject({ name: "HostError" })
  })

  it("gets Ctrl-C, tells a signal from an exit code, and keeps everything it printed", async () => {
    const asleep = await onTerminal("trap 'echo caught; exit 5' INT; echo ready; sleep 30 & wait")
    while (!asleep.printed().text.includes("ready")) await asleep.wait({ ms: 20 })
    await asleep.write("\u0003")
    await asleep.wait()
    expect(asleep.outcome).toEqual({ exitCode: 5, ending: "exited" })
    const killed = await onTerminal("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last; kill -9 $$")
    await killed.wait()
    expect(killed.outcome).toEqual({ exitCode: null, signal: "SIGKILL", ending: "exited" })
    expect(killed.printed().text).toContain("x\nlast\n")
    expect(killed.bytes).toBeGreaterThan(3_000_000)
  })

  it("is killed with all it has started, jobs of an interactive shell too", async () => {
    const seconds = uniqueSleep()
    const job = await onTerminal("bash --norc -i")
    await job.write(`sleep ${seconds} &\n`)
    while (sleepers(seconds) === 0) await job.wait({ ms: 20 })
    expect(await job.kill()).toMatchObject({ ending: "killed" })
    expect(sleepers(seconds)).toBe(0)
  })
})
