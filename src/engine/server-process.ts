/**
 * Starts the programs that are servers: each leads a group of its own and carries a mark, so that it ends with everything it started, also when
 * Joey was killed: the next one finds the marks in a file and ends what is left.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { killMarked, processGroup, signalGroup } from "../host/process-group.ts"
import { beginningOf, marked, newMark } from "../host/process-table.ts"
import { HostError } from "../types/host.ts"
import type { ServerProcess, ServerProcesses, ServerStart } from "../types/mcp.ts"

/** What a server may need of our environment; everything else it gets by its configuration. */
const PASSED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|(?:https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|npm_config_\w+|UV_\w+|PIP_\w+|NVM_\w+|VOLTA_HOME|APPDATA|LOCALAPPDATA|SYSTEMROOT|SYSTEMDRIVE|USERPROFILE|PROGRAM\w+|COMSPEC|PATHEXT|WINDIR)$/i
/** Names like `npm_config_//registry/:_authToken` or `UV_INDEX_PASSWORD` are nobody else's business. */
const SECRET = /auth|token|password|secret|key$/i
const GRACE_MS = 1_500
const DRAIN_MS = 200

export interface ServerProcessOptions {
  /** Where the file with the marks of this process stands. */
  folder: string
  env: NodeJS.ProcessEnv
}

export function serverProcesses({ folder, env }: ServerProcessOptions): ServerProcesses {
  let started: readonly Started[] = []
  const file = join(folder, `running-${process.pid}.json`)
  let reaped = false
  return {
    async start(start, name) {
      if (!reaped) reapLeftovers(folder)
      reaped = true
      const mark = newMark()
      const child = await spawned(start, { ...passed(env), ...start.env, ...marked(mark) }, name)
      const pid = child.pid ?? 0
      started = [...started, { pid, mark, beginning: beginningOf(pid) ?? "" }]
      note(file, started)
      return watched(child, pid, mark, () => {
        started = started.filter((one) => one.mark !== mark)
        note(file, started)
      })
    },
  }
}

interface Started {
  pid: number
  mark: string
  /** A number that was given to somebody else began at another time. */
  beginning: string
}

async function spawned(
  { command, args, cwd }: ServerStart & { kind: "stdio" },
  env: NodeJS.ProcessEnv,
  name: string,
): Promise<ChildProcessWithoutNullStreams> {
  const windows = process.platform === "win32" // programs such as npx are scripts there
  try {
    const options = {
      cwd,
      env,
      detached: !windows,
      stdio: ["pipe", "pipe", "pipe"] as ["pipe", "pipe", "pipe"],
      windowsHide: true,
    }
    const child = windows ? spawn("cmd.exe", ["/d", "/s", "/c", command, ...args], options) : spawn(command, [...args], options)
    child.on("error", () => {}) // told by the first one below
    if (child.pid === undefined) throw (await once(child, "error"))[0]
    return child
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown"
    const what =
      code === "ENOENT" ? `there is no program "${command}", or no folder ${cwd}` : `${command} cannot be started (${code})`
    throw new HostError("other", `${what}; see the server "${name}" in its configuration`)
  }
}

function watched(child: ChildProcessWithoutNullStreams, pid: number, mark: string, onGone: () => void): ServerProcess {
  const group = processGroup(pid, mark)
  child.stdin.on("error", () => {}) // its end is told otherwise
  const ended = once(child, "exit").then(async ([code, signal]) => {
    await Promise.race([once(child, "close"), sleep(DRAIN_MS, undefined, { ref: false })]) // what it started may hold its output open
    if (!group.leave()) onGone()
    return code === null ? `signal ${signal}` : `exit code ${code}`
  })
  return {
    pid,
    write: (text) => new Promise((resolve, reject) => child.stdin.write(text, (error) => (error ? reject(error) : resolve()))),
    onOutput: (listener) => void child.stdout.on("data", listener),
    onErrorOutput: (listener) => void child.stderr.on("data", listener),
    ended,
    async end() {
      child.stdin.end()
      const clock = new AbortController()
      await Promise.race([ended, sleep(GRACE_MS, undefined, { signal: clock.signal }).catch(() => {})])
      clock.abort() // it would keep this process alive
      group.signal("SIGTERM")
      await group.end(GRACE_MS)
      onGone()
    },
  }
}

function passed(ours: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(ours).filter(([name, value]) => PASSED.test(name) && !SECRET.test(name) && !value?.startsWith("()")),
  )
}

/** Best effort: without the file only a crash of Joey leaves something behind. */
function note(file: string, started: readonly Started[]): void {
  try {
    if (started.length === 0) {
      rmSync(file, { force: true })
      return
    }
    mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify({ beginning: beginningOf(process.pid) ?? "", started }), { mode: 0o600 })
  } catch {
    // A full or read-only disk is no reason to do without servers.
  }
}

/** Ends what a Joey that is gone has left behind, and forgets it. */
export function reapLeftovers(folder: string): void {
  for (const name of listed(folder)) {
    const [, owner] = /^running-(\d+)\.json$/.exec(name) ?? []
    if (owner === undefined) continue
    const file = join(folder, name)
    const left = readNote(file)
    if (left && isRunning(Number(owner), left.beginning)) continue
    for (const { pid, beginning } of left?.started ?? []) if (beginningOf(pid) === beginning) signalGroup(pid, "SIGKILL")
    killMarked(new Set(left?.started.map(({ mark }) => mark)))
    rmSync(file, { force: true })
  }
}

/** Where nobody buries the dead, they still have a number and a beginning. */
function isRunning(pid: number, beginning: string): boolean {
  if (beginningOf(pid) !== beginning) return false
  try {
    return process.platform !== "linux" || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return false
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function readNote(file: string): { beginning: string; started: Started[] } | undefined {
  try {
    const { beginning, started } = JSON.parse(readFileSync(file, "utf8"))
    const isStarted = (one: Partial<Started>) =>
      typeof one.pid === "number" && typeof one.mark === "string" && one.mark !== "" && one.beginning !== ""
    return typeof beginning === "string" && Array.isArray(started) ? { beginning, started: started.filter(isStarted) } : undefined
  } catch {
    return undefined
  }
}
