/** Ways to run a command that prints a file, and to keep what it prints. Each answers how many milliseconds it took, or megabytes. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createWriteStream, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openJobs } from "../../src/host/jobs.ts"
import { type Job, serveLane } from "./lane-process.ts"

export interface CommandCell {
  /** What is printed. */
  file: string
}

async function inFolder<T>(use: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "joey-bench-commands-"))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function timed(work: () => unknown): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** As the tool does it: waited for, glanced at while it runs, and reported. */
async function throughJob(file: string, folder: string): Promise<void> {
  const jobs = openJobs({ folder, ripgrep: async () => "rg" })
  const job = await jobs.start(`cat '${file}'`, { cwd: "/" })
  await job.wait({ onOutput: () => void job.printed() })
  const { text } = job.printed()
  if (job.outcome?.exitCode !== 0 || text.length > 25_000 || job.bytes < 1_000_000) throw new Error("the command was not run")
  await jobs.close()
}

const WAYS: Record<string, (file: string, folder: string) => unknown> = {
  /** The least: another program takes it from the pipe and puts it into a file. */
  cat: (file, folder) => spawnSync("sh", ["-c", `cat '${file}' | cat > '${folder}/out'`]),
  /** What a Node program usually does. */
  async node(file, folder) {
    const child = spawn("cat", [file], { stdio: ["ignore", "pipe", "ignore"] })
    await once(child.stdout.pipe(createWriteStream(join(folder, "out"))), "close")
  },
  job: throughJob,
}

const times = Object.entries(WAYS).map(([name, way]): [string, Job<CommandCell>] => [
  name,
  ({ file }) =>
    () =>
      inFolder((folder) => timed(() => way(file, folder))),
])

/** The peak of the whole process, so each size wants a process of its own. */
const memory: Job<CommandCell> =
  ({ file }) =>
  async () => {
    await inFolder((folder) => throughJob(file, folder))
    return process.resourceUsage().maxRSS / 1024
  }

serveLane({ ...Object.fromEntries(times), memory })
