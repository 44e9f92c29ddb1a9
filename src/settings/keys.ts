/**
 * Fetches the model's key from where the settings say: a variable, a file only its owner can read, or a command. The key itself
 * appears in no message; a problem is one line that says what to do.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { statSync } from "node:fs"
import { homedir } from "node:os"
import { parse } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { printableLine } from "../text/printable.ts"
import { redact } from "../text/redact.ts"
import type { Settings } from "../types/settings.ts"
import { codeOf, readSmallFile } from "./small-file.ts"

export interface Key {
  value: string
  /** In words, for people: "environment OPENAI_API_KEY". */
  from: string
}

/** Without a key when the settings name no source. */
export type KeyRead = { ok: true; key?: Key } | { ok: false; problem: string }

export interface KeyOptions {
  env: NodeJS.ProcessEnv
  signal?: AbortSignal
  /** Time for the command; a person may have to unlock something. */
  timeoutMs?: number
}

type KeySettings = Pick<Settings, "apiKeyEnv" | "apiKeyFile" | "apiKeyCommand">

const MAX_BYTES = 64 * 1024
const TIMEOUT_MS = 60_000
const DRAIN_MS = 250
const OTHERS = 0o077

/** A variable that is set comes first, then the file, then the command. */
export async function readKey(settings: KeySettings, options: KeyOptions): Promise<KeyRead> {
  const { apiKeyEnv, apiKeyFile, apiKeyCommand } = settings
  const held = apiKeyEnv && options.env[apiKeyEnv]?.trim()
  if (held) return usable(held, `environment ${apiKeyEnv}`)
  if (apiKeyFile) return readKeyFile(apiKeyFile)
  if (apiKeyCommand) return runKeyCommand(apiKeyCommand, options)
  if (apiKeyEnv) return problem(`The environment holds no key under ${apiKeyEnv}; set it, or change apiKeyEnv.`)
  return { ok: true }
}

async function readKeyFile(path: string): Promise<KeyRead> {
  const read = await readSmallFile(path, MAX_BYTES)
  if (read.found === "nothing") return problem(`The key's file ${path} does not exist; create it, or change apiKeyFile.`)
  if (read.found === "unusable") return problem(`The key's file ${path} ${read.problem}.`)
  if (process.platform !== "win32" && (read.stats.mode & OTHERS) !== 0) {
    return problem(`The key's file ${path} can be read by others and is not used; run: chmod 600 ${path}`)
  }
  return usable(firstLine(read.text), `file ${path}`)
}

/**
 * In a process group of its own, so that a command that hangs ends with all it started; in the home folder, so that no file of
 * a project is taken for a program.
 */
async function runKeyCommand(command: string, { env, signal, timeoutMs = TIMEOUT_MS }: KeyOptions): Promise<KeyRead> {
  if (signal?.aborted) return problem("The command for the key was cancelled.")
  const detached = process.platform !== "win32"
  const child = spawn(command, { shell: true, cwd: homeFolder(), env, detached, stdio: ["ignore", "pipe", "pipe"] })
  const printed = { stdout: "", stderr: "" }
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      if (printed[stream].length < MAX_BYTES) printed[stream] += text
    })
  }
  const end = () => endGroup(child.pid, detached)
  process.once("exit", end)
  const timeout = AbortSignal.timeout(timeoutMs)
  const failure = await Promise.race([
    failureOf(child),
    aborted(timeout).then(() => `did not finish within ${timeoutMs / 1000} seconds`),
    ...(signal ? [aborted(signal).then(() => "was cancelled")] : []),
  ])
  process.off("exit", end)
  if (failure !== "") end()
  child.stdout.destroy()
  child.stderr.destroy()
  if (failure === "") return usable(firstLine(printed.stdout), "the command of apiKeyCommand")
  const complaint = firstLine(printed.stderr)
  return problem(`The command for the key ${failure}${complaint && `: ${withoutSecrets(complaint, printed.stdout)}`}`)
}

/** Some containers name a home folder that is not there. */
function homeFolder(): string {
  const home = homedir()
  return statSync(home, { throwIfNoEntry: false })?.isDirectory() ? home : parse(home).root
}

/** Empty when it did well. Something it left in the background may hold its pipes for ever; what it printed itself is here soon. */
async function failureOf(child: ChildProcess): Promise<string> {
  try {
    const closed = once(child, "close").catch(() => {}) // an error is reported below
    const [code, killedBy] = await once(child, "exit")
    await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })])
    if (code === 0) return ""
    return killedBy ? `was ended by ${killedBy}` : `failed with exit code ${code}`
  } catch (error) {
    return `could not be started (${codeOf(error)})`
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort")
}

function endGroup(pid: number | undefined, detached: boolean): void {
  if (pid === undefined) return
  try {
    process.kill(detached ? -pid : pid, "SIGKILL")
  } catch {} // it has ended already
}

function usable(value: string, from: string): KeyRead {
  if (value === "") return problem(`There is no key: ${from} gave an empty first line.`)
  if (!/^[\x21-\x7e]+$/.test(value)) return problem(`The key from ${from} holds characters that no key has; set it again.`)
  return { ok: true, key: { value, from } }
}

/** What a failing command complains about helps; what it may have printed of the key does not. */
function withoutSecrets(line: string, stdout: string): string {
  return printableLine(redact(line, stdout.split("\n"))).slice(0, 200)
}

function firstLine(text: string): string {
  return text.trimStart().split(/\r?\n/, 1)[0]?.trim() ?? ""
}

function problem(line: string): KeyRead {
  return { ok: false, problem: line }
}
