import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Job, JobStart, Jobs } from "../types/job.ts"
import { refusal } from "./contract.ts"
import { ripgrep, sleepers, uniqueSleep } from "./job-test.ts"
import { type JobsOptions, openJobs } from "./jobs.ts"
import { temporaryFolder } from "./temporary-folder.ts"

async function newJobs(options: Partial<JobsOptions> = {}): Promise<Jobs> {
  const jobs = openJobs({ folder: join(await temporaryFolder(), "commands"), ripgrep, ...options })
  onTestFinished(() => jobs.close())
  return jobs
}

async function ran(line: string, start: Partial<JobStart> = {}, options: Partial<JobsOptions> = {}): Promise<Job> {
  const job = await (await newJobs(options)).start(line, { cwd: "/tmp", ...start })
  await job.wait()
  return job
}

describe("a command", () => {
  it("S42: ends with its exit code, and both streams are there in the order in which they were written", async () => {
    const job = await ran("for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 3")
    expect(job.outcome).toEqual({ exitCode: 3, ending: "exited" })
    expect(job.printed()).toEqual({ text: "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n", cut: false })
    expect(job).toMatchObject({ id: "cmd-1", cwd: "/tmp", notices: [] })
  })

  it("can open /dev/stdout and /dev/stderr", async () => {
    const job = await ran("echo one; echo two > /dev/stderr; echo three | tee /dev/stdout")
    expect(job.printed().text).toBe("one\ntwo\nthree\nthree\n")
  })

  it("finds its input closed, no terminal, no pager and no key of ours", async () => {
    const job = await ran('cat; tty; echo "$PAGER|$OPENAI_API_KEY|$SOME_PLACE"', {}, { withheld: ["SOME_PLACE"] })
    expect(job.printed().text).toBe("not a tty\ncat||\n")
  })

  it("tells a signal from an exit code", async () => {
    expect((await ran("kill -9 $$")).outcome).toEqual({ exitCode: null, signal: "SIGKILL", ending: "exited" })
    expect((await ran("exit 137")).outcome).toEqual({ exitCode: 137, ending: "exited" })
  })

  it("S42: runs in /bin/sh when the configured shell is missing, and says so", async () => {
    const job = await ran("echo works", {}, { shell: "no-such-shell" })
    expect(job.notices).toEqual(["no-such-shell is not here; /bin/sh runs this instead."])
    expect(job.printed().text).toBe("works\n")
  })

  it.each([
    ["a NUL byte and invalid UTF-8", "printf 'a\\0b\\xff\\xe2\\x82'; printf c", "a␀b\ufffd\ufffdc"],
    ["colours and a bell", "printf '\\033[31mred\\033[0m\\a\\n'", "red\n"],
    ["a progress bar", "for i in 1 50 100; do printf '\\r%d%%' $i; done; echo; echo done", "100%\ndone\n"],
    ["nothing, with its streams closed", "exec >&- 2>&-; true", ""],
    ["no end of line", "printf x", "x"],
  ])("may print %s", async (_, line, text) => expect((await ran(line)).printed().text).toBe(text))

  it("may be as long as it likes, also longer than the system takes as one argument", async () => {
    const text = "x".repeat(300_000)
    const job = await ran(`cat <<'END' | wc -c\n${text}\nEND`)
    expect(job.printed().text.trim()).toBe("300001")
  })

  it.each([
    ["a NUL", "echo \0", "/tmp"],
    ["a folder that is gone", "true", "/nowhere/at/all"],
  ])("is refused in one line when it has %s", async (_, line, cwd) => {
    await expect((await newJobs()).start(line, { cwd })).rejects.toEqual(refusal("other"))
  })

  it("is refused when its output cannot be kept", async () => {
    const folder = await temporaryFolder({ file: "" })
    const jobs = openJobs({ folder: join(folder, "file"), ripgrep })
    await expect(jobs.start("true", { cwd: "/" })).rejects.toEqual(refusal("not-directory"))
  })

  it("is not waited for when it only left something in the background, whose output is kept, too", async () => {
    const jobs = await newJobs()
    const job = await jobs.start("(sleep 0.3; echo late; sleep 30) & echo started", { cwd: "/" })
    await job.wait()
    expect(job.outcome).toEqual({ exitCode: 0, ending: "exited", leftRunning: true })
    expect(job.printed().text).toBe("started\n")
    await sleep(600)
    expect(job.printed().text).toBe("started\nlate\n")
    expect(await job.kill()).toEqual({ exitCode: 0, ending: "exited" })
  })

  it("that prints without end is killed when its file is full", async () => {
    const job = await ran("yes", {}, { mostBytes: 1_000_000 })
    expect(job.outcome).toMatchObject({ ending: "too-much" })
    expect(job.bytes).toBe(1_000_000)
  })

  it("is killed at the limit, wherever it runs", async () => {
    const seconds = uniqueSleep()
    const job = await ran(`sleep ${seconds}`, { limitMs: 200 })
    expect(job.outcome).toMatchObject({ ending: "out-of-time", signal: "SIGTERM" })
    expect(sleepers(seconds)).toBe(0)
  })

  it("keeps its output in a file that only its owner can read", async () => {
    const job = await ran("echo secret")
    expect(readFileSync(job.outputFile, "utf8")).toBe("secret\n")
    expect(statSync(job.outputFile).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(job.outputFile, "..")).filter((name) => name.startsWith("pipe-")).length).toBeLessThan(9)
  })
})

describe("waiting for a command", () => {
  it("ends at its time or by the signal, and leaves the command running", async () => {
    const job = await (await newJobs()).start("sleep 30", { cwd: "/" })
    expect(await job.wait({ ms: 50 })).toBe(false)
    expect(await job.wait({ signal: AbortSignal.timeout(50) })).toBe(false)
    expect(await job.wait({ signal: AbortSignal.abort() })).toBe(false)
    expect(job.outcome).toBeUndefined()
  })

  it("tells of new output, a few times a second at most", async () => {
    const job = await (await newJobs()).start("for i in $(seq 60); do echo $i; sleep 0.01; done", { cwd: "/" })
    let times = 0
    await job.wait({ onOutput: () => times++ })
    expect(times).toBeGreaterThan(1)
    expect(times).toBeLessThan(20)
  })
})

describe("the end of a command", () => {
  it("is told when nobody waits for it and nobody killed it", async () => {
    const jobs = await newJobs()
    const ended: string[] = []
    jobs.onEnd(({ id, outcome }) => ended.push(`${id} ${outcome?.exitCode}`))
    const waited = await jobs.start("exit 1", { cwd: "/" })
    await waited.wait()
    const background = await jobs.start("sleep 0.2; exit 2", { cwd: "/" })
    await background.wait({ ms: 10 })
    await (await jobs.start("sleep 30", { cwd: "/" })).kill()
    expect(jobs.running().map(({ id }) => id)).toEqual(background.outcome ? [] : ["cmd-2"])
    while (!background.outcome) await sleep(20)
    expect(ended).toEqual(["cmd-2 2"])
  })

  it("A.8.25: takes along what ignores SIGTERM, and what went into a session of its own", async () => {
    const [deaf, daemon] = [uniqueSleep(), uniqueSleep()]
    const jobs = await newJobs()
    const job = await jobs.start(
      `trap '' TERM; setsid sh -c 'trap "" TERM; sleep ${daemon} & wait' & sleep ${deaf} & wait; sleep ${deaf}`,
      { cwd: "/" },
    )
    while (sleepers(daemon) === 0) await sleep(20)
    expect(await job.kill()).toMatchObject({ ending: "killed", signal: "SIGKILL" })
    expect([sleepers(deaf), sleepers(daemon)]).toEqual([0, 0])
  })

  it("comes for all when the task is closed; nothing starts after that", async () => {
    const seconds = uniqueSleep()
    const jobs = await newJobs()
    const started = await Promise.all([1, 2].map(() => jobs.start(`sleep ${seconds} & sleep ${seconds}`, { cwd: "/" })))
    await jobs.close()
    expect(started.map(({ outcome }) => outcome?.ending)).toEqual(["killed", "killed"])
    expect(sleepers(seconds)).toBe(0)
    await expect(jobs.start("true", { cwd: "/" })).rejects.toEqual(refusal("other"))
  })
})

describe("news", () => {
  it("are the end of what was printed since they were asked for", async () => {
    const job = await (await newJobs()).start("echo one; sleep 0.4; echo two; echo three; sleep 30", { cwd: "/" })
    await job.wait({ ms: 200 })
    expect(job.news(100)).toBe("one")
    await job.wait({ ms: 500 })
    expect(job.news(5)).toBe("three")
    expect(job.news(100)).toBe("")
  })
})

describe("a later run", () => {
  it("finds the commands of an earlier one, and what they printed", async () => {
    const folder = await temporaryFolder()
    const first = openJobs({ folder, ripgrep })
    await (await first.start("echo hello; exit 4", { cwd: "/tmp" })).wait()
    writeFileSync(join(folder, "jobs.jsonl"), '{"id":"cmd-9","com', { flag: "a" }) // cut off by a kill
    const second = openJobs({ folder, ripgrep })
    const job = second.find("cmd-1")
    expect(job).toMatchObject({ command: "echo hello; exit 4", cwd: "/tmp", outcome: { exitCode: 4, ending: "exited" } })
    expect(job?.printed().text).toBe("hello\n")
    expect(await job?.wait()).toBe(true)
    await expect(job?.write("x")).rejects.toEqual(refusal("other"))
    expect((await second.start("true", { cwd: "/" })).id).toBe("cmd-2")
    await second.close()
    expect(existsSync(join(folder, "cmd-2.txt"))).toBe(true)
  })
})
