import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { ripgrep, sleepers, uniqueSleep } from "./job-test.ts"
import { openJobs } from "./jobs.ts"
import { beginningOf } from "./process-table.ts"
import { temporaryFolder } from "./temporary-folder.ts"

const tsx = join(import.meta.dirname, "../../node_modules/tsx/dist/cli.mjs")

/** A process of ours that starts these lines in the background and says so. */
async function otherJoey(folder: string, lines: string[], then = "") {
  const script = join(folder, "ours.mts")
  writeFileSync(
    script,
    `import { openJobs } from ${JSON.stringify(join(import.meta.dirname, "jobs.ts"))}
const jobs = openJobs({ folder: ${JSON.stringify(join(folder, "commands"))}, ripgrep: async () => "" })
for (const line of ${JSON.stringify(lines)}) await (await jobs.start(line, { cwd: "/" })).wait({ ms: 300 })
console.log("up")
${then}
setInterval(() => {}, 1000)`,
  )
  const child = spawn(process.execPath, [tsx, script], { stdio: ["ignore", "pipe", "ignore"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  await once(child.stdout, "data")
  return child
}

describe("commands of a Joey that was killed", () => {
  it("are ended by the next one that opens the task, daemons included, and are lost", async () => {
    const folder = await temporaryFolder()
    const [plain, daemon] = [uniqueSleep(), uniqueSleep()]
    onTestFinished(() => void spawnSync("pkill", ["-f", `^sleep (${plain}|${daemon})$`]))
    const joey = await otherJoey(folder, [`echo here; sleep ${plain}`, `setsid sleep ${daemon} & wait`])
    joey.kill("SIGKILL")
    await once(joey, "exit")
    expect([sleepers(plain), sleepers(daemon)]).toEqual([1, 1])
    const jobs = openJobs({ folder: join(folder, "commands"), ripgrep })
    await sleep(50)
    expect([sleepers(plain), sleepers(daemon)]).toEqual([0, 0])
    expect(jobs.all().map(({ outcome }) => outcome?.ending)).toEqual(["lost", "lost"])
    expect(jobs.find("cmd-1")?.printed().text).toBe("here\n")
    expect(jobs.running()).toEqual([])
  })

  it("are not mistaken for somebody who has got their number", async () => {
    const folder = await temporaryFolder()
    const stranger = spawn("sleep", ["30"], { detached: true, stdio: "ignore" })
    onTestFinished(() => void stranger.kill("SIGKILL"))
    const pid = stranger.pid ?? 0
    const record = { id: "cmd-1", command: "x", cwd: "/", startedAt: 0, pid, beginning: "long ago", mark: "0".repeat(12) }
    writeFileSync(join(folder, "jobs.jsonl"), `${JSON.stringify(record)}\n`)
    expect(openJobs({ folder, ripgrep }).find("cmd-1")?.outcome).toEqual({ exitCode: null, ending: "lost" })
    await sleep(50)
    expect(beginningOf(pid)).toBeDefined()
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull()
    expect(readFileSync(join(folder, "jobs.jsonl"), "utf8")).toContain('"lost"')
  })
})

describe("commands of a Joey that ends in any other way", () => {
  it.each([
    ["leaves", "process.exit(0)"],
    ["crashes", "throw new Error('a defect')"],
    ["crashes later", "setTimeout(() => { null.x }, 10)"],
  ])("end with it when it %s", async (_, how) => {
    const folder = await temporaryFolder()
    const [plain, daemon] = [uniqueSleep(), uniqueSleep()]
    const joey = await otherJoey(
      folder,
      [`sleep ${plain}`, `setsid sleep ${daemon} &`],
      `await new Promise((r) => setTimeout(r, 50)); ${how}`,
    )
    await once(joey, "exit")
    await sleep(30)
    expect([sleepers(plain), sleepers(daemon)]).toEqual([0, 0])
  })
})
