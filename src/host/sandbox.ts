/**
 * Walls around a command: bubblewrap, on Linux. Asked for where it cannot be had, the command does not run; it never runs without the
 * walls instead. Whoever is inside has no rights of the system's administrator, sees only its own processes, and ends as any other job does.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { isBeneath } from "../text/path-forms.ts"
import { onOneLine } from "../text/printable.ts"
import { HostError } from "../types/host.ts"
import { findMembers } from "./process-table.ts"
import { runProcess } from "./processes.ts"
import { realPath } from "./real-path.ts"
import { gitFolders, isThere, type Mount, mountsOf, type SandboxRules } from "./sandbox-mounts.ts"
import { findProgram } from "./shell.ts"

const PROBE_MS = 5000
const LOOK_MS = 5
const MOST_LOOKS = 40
const OFF = "Nothing was run. (sandbox.enabled: false runs commands without a sandbox.)"
/** They lead to programs outside that would act for the command. */
const LEADING_OUT =
  /^(?:DBUS_\w+|SSH_AUTH_SOCK|SSH_AGENT_PID|SSH_ASKPASS|GIT_ASKPASS|GPG_AGENT_INFO|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_RUNTIME_DIR|TMUX|STY|WSL_INTEROP|VSCODE_\w+|KITTY_LISTEN_ON)$/

export interface Confined {
  program: string
  args: string[]
  env: NodeJS.ProcessEnv
  /** When it is over: what it must not leave behind is removed, and told. With its number, what ends a moment later is waited for. */
  after(pid?: number): Promise<string[]>
}

export interface SandboxStart {
  program: string
  args: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
  rules: SandboxRules
  /** Of the task: for what commands take for /tmp. Made when first needed. */
  folder: string
  /** It runs on a terminal of its own. */
  terminal?: boolean
  /** Files that the command needs although their place is hidden. */
  shown?: readonly string[]
}

/** One line for the model. */
export function sandboxWords({ network, readOnly }: Pick<SandboxRules, "network" | "readOnly">): string {
  const writes = readOnly ? "cannot change the workspace and write only" : "write only in the workspace and"
  const reach = network ? "" : ", have no network"
  return `Commands run in a sandbox: they ${writes} in a /tmp of their own${reach}, and see no secrets. What steers git or Joey is read-only.`
}

/** Rejects with a HostError in one line when no walls can be made, or the folder is not there behind them. */
export async function confine(start: SandboxStart, machine = thisMachine): Promise<Confined> {
  const { program, args, cwd, rules, folder, terminal = false, shown = [] } = start
  const bubblewrap = await workingBubblewrap(rules.network, machine)
  const { temp, nothing } = makeFolders(folder)
  const after = watchGit(realPath(rules.workspace))
  const mounts = mountsOf(rules, temp)
  if (!isThere(cwd, mounts)) throw new HostError("no-access", `${cwd} is not there in the sandbox; run commands in the workspace`)
  const files = shown.flatMap((file) => ["--ro-bind", file, file])
  const env = terminal ? await signalChanger(machine) : undefined
  const inside = [...(env ? [env, "--default-signal=INT,QUIT"] : []), program, ...args]
  const [first = bubblewrap, ...rest] = [...(env ? [env, "--ignore-signal=INT,QUIT"] : []), bubblewrap]
    .concat(
      walls(rules.network),
      mounts.flatMap((mount) => mountArguments(mount, nothing)),
      files,
    )
    .concat(mounts.flatMap(({ kind, path }) => (kind === "empty" ? ["--remount-ro", path] : [])))
    .concat(["--chdir", cwd, "--", ...inside])
  return { program: first, args: rest, env: { ...withoutWaysOut(start.env), ...caches(rules) }, after }
}

/**
 * Ctrl-C at a terminal is for the command, and would end bubblewrap instead: it is kept from the one and given back to the other.
 * undefined where no program for that is installed; then Ctrl-C ends both.
 */
async function signalChanger(machine: Machine): Promise<string | undefined> {
  machine.changer ??= machine.find("env").then(async (env) => {
    return env && (await complaintOf(env, ["--ignore-signal=INT", "true"])) === undefined ? env : undefined
  })
  return machine.changer
}

/**
 * Two doors into a repository that no mount can close, for nothing is there yet: hooks, so an empty folder is made, and a file that
 * makes git read another configuration, which is looked for afterwards.
 */
function watchGit(workspace: string): Confined["after"] {
  const folders = gitFolders(workspace)
  for (const folder of folders) mkdirSync(join(folder, "hooks"), { recursive: true })
  const watched = folders.map((folder) => join(folder, "commondir")).filter((file) => !existsSync(file))
  return async (pid) => {
    if (pid !== undefined) await initGone(pid)
    const planted = watched.filter((file) => existsSync(file))
    for (const file of planted) await rm(file, { recursive: true, force: true })
    return planted.map((file) => `${file} was made by the command and is removed: it would have steered git.`)
  }
}

/** The first process behind the walls ends a moment after the command, unless that left others there. */
async function initGone(group: number): Promise<void> {
  for (let look = 0; look < MOST_LOOKS; look++) {
    const members = findMembers(new Set(), new Set([group]))
    if (members.length === 0 || members.some(({ pid }) => nameOf(pid) !== "bwrap")) return
    await sleep(LOOK_MS)
  }
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim()
  } catch {
    return "bwrap" // gone by now
  }
}

/** What commands left in their /tmp goes with the task. */
export async function clearSandbox(folder: string): Promise<void> {
  await rm(join(folder, "sandbox"), { recursive: true, force: true, maxRetries: 2 }).catch(() => {})
}

/** Why there are no walls to be had on this machine, and what to do; undefined when there are. */
export async function sandboxProblem(machine = thisMachine): Promise<string | undefined> {
  try {
    await workingBubblewrap(false, machine)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function walls(network: boolean): string[] {
  const apart = ["--unshare-user", "--unshare-pid", "--unshare-ipc", ...(network ? [] : ["--unshare-net"])]
  // Root would otherwise keep the right to mount, and with it every way out.
  return [...apart, "--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
}

function mountArguments({ kind, path, from = path }: Mount, nothing: string): string[] {
  switch (kind) {
    case "write":
      return ["--bind", from, path]
    case "read":
      return ["--ro-bind", from, path]
    case "empty":
      return ["--tmpfs", path]
    case "nothing":
      return ["--ro-bind", nothing, path]
  }
}

function makeFolders(folder: string): { temp: string; nothing: string } {
  const temp = join(folder, "sandbox", "tmp")
  const nothing = join(folder, "sandbox", "nothing")
  mkdirSync(temp, { recursive: true, mode: 0o700 })
  writeFileSync(nothing, "", { mode: 0o444, flag: "a" })
  return { temp, nothing }
}

/** Where bubblewrap is to be found. */
export interface Machine {
  platform: string
  find(program: string): Promise<string | undefined>
  /** Once it has worked it is taken to work; after a failure it is tried again, for somebody may have installed it meanwhile. */
  working: Map<"network" | "no network", string>
  /** Starts a program that ignores signals, or does so no longer. */
  changer?: Promise<string | undefined>
}

const thisMachine: Machine = { platform: process.platform, find: (program) => findProgram(program), working: new Map() }

async function workingBubblewrap(network: boolean, { platform, find, working }: Machine): Promise<string> {
  const known = working.get(network ? "network" : "no network")
  if (known !== undefined) return known
  if (platform !== "linux") throw new HostError("other", `There is no sandbox on ${platform}, only on Linux. ${OFF}`)
  const program = await find("bwrap")
  if (program === undefined) {
    throw new HostError("not-found", `The sandbox needs bubblewrap: install the package bubblewrap (apt, dnf, pacman). ${OFF}`)
  }
  const complaint = await complaintOf(program, [...walls(network), "--", "/bin/sh", "-c", ":"])
  if (complaint !== undefined) {
    throw new HostError("other", `bubblewrap cannot make a sandbox here (${complaint}); joey doctor says more. ${OFF}`)
  }
  working.set(network ? "network" : "no network", program)
  return program
}

/** undefined when it did well. */
async function complaintOf(program: string, args: readonly string[]): Promise<string | undefined> {
  let said = ""
  try {
    const { exitCode } = await runProcess({
      program,
      args,
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      timeoutMs: PROBE_MS,
      onOutput: (text) => {
        said += text.slice(0, 500)
      },
    })
    return exitCode === 0 ? undefined : onOneLine(said.trim()) || `exit code ${exitCode}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function withoutWaysOut(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name, value]) => {
    return !LEADING_OUT.test(name) && !(name === "DOCKER_HOST" && value?.startsWith("unix:"))
  })
  return Object.fromEntries(kept)
}

/** Two programs that many projects need do nothing where they cannot write to their cache. */
function caches({ writable, workspace }: SandboxRules): NodeJS.ProcessEnv {
  const home = homedir()
  const isOpen = (path: string) => {
    const open = [workspace, ...writable.map((one) => one.replace(/^~(?=\/|$)/, home))]
    return open.some((one) => isBeneath(one, join(home, path), process.platform))
  }
  return {
    TMPDIR: "/tmp",
    TMP: "/tmp",
    TEMP: "/tmp",
    ...(!isOpen(".npm") && { npm_config_cache: "/tmp/.npm" }),
    ...(!isOpen(".cache") && { GOCACHE: "/tmp/.go-build" }),
  }
}
