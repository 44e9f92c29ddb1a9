/**
 * `joey doctor`: what this machine has for Joey, one line each, and how to get the rest. Names of keys, never keys. Fails only when
 * something is missing without which no task can run.
 */
import { accessSync, constants, existsSync, readFileSync } from "node:fs"
import { mkdtemp, rm, statfs } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { loadProject, type Project } from "../../engine/load-project.ts"
import { findBrowser } from "../../host/browser-program.ts"
import { ripgrepProgram } from "../../host/local.ts"
import { runProcess } from "../../host/processes.ts"
import { findProgram, findShell } from "../../host/shell.ts"
import { vendors } from "../../providers/vendors.ts"
import { joeyHome } from "../../task/store.ts"
import { count } from "../../text/count.ts"
import { onOneLine, visible } from "../../text/printable.ts"
import { redact } from "../../text/redact.ts"
import { sizeWords } from "../../text/size-words.ts"
import { readArguments, UsageError } from "../arguments.ts"
import { checkFolder, showHelp } from "../project-arguments.ts"
import { settingsFlags } from "../settings-flags.ts"

interface Check {
  name: string
  ok: boolean
  /** What there is, or what is missing and how to get it. */
  words: string
  /** Without it no task can run. */
  needed?: boolean
}

const LEAST_NODE: readonly number[] = [20, 19]
const LEAST_DISK = 1e9
const PATIENCE_MS = 10_000

export async function doctor(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const options = readArguments(args)
  if (options.help) return showHelp(process.stdout)
  if (options.words.length > 0) throw new UsageError(`joey doctor takes no words ("${options.words[0]}").`)
  const { env } = process
  const home = joeyHome(env)
  const workspace = checkFolder(resolve(process.cwd(), options.workspace ?? "."))
  const { trustProject, format } = options
  const project = await loadProject({ workspace, home, env, flags: settingsFlags(options), trustProject })
  const checks = await Promise.all([
    node(process.versions.node),
    homeFolder(home),
    model(project, env),
    settings(project),
    searching(),
    version("git", "changes and commits cannot be shown to the model: install git"),
    shell(project),
    terminals(),
    sqlite(),
    sandbox(project),
    browser(env),
  ])
  const print = (line: string) => process.stdout.write(`${redact(onOneLine(visible(line)))}\n`)
  if (format === "text") for (const line of lines(checks)) print(line)
  else print(JSON.stringify({ v: 1, type: "doctor", checks }))
  return checks.some(({ ok, needed }) => needed && !ok) ? 1 : 0
}

function lines(checks: readonly Check[]): string[] {
  const width = Math.max(...checks.map(({ name }) => name.length))
  return checks.map(({ name, ok, words }) => `${ok ? "✓" : "✗"} ${name.padEnd(width)}  ${words}`)
}

function node(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const [leastMajor = 0, leastMinor = 0] = LEAST_NODE
  const ok = major > leastMajor || (major === leastMajor && minor >= leastMinor)
  const words = ok ? version : `${version} is too old: install ${LEAST_NODE.join(".")} or newer from https://nodejs.org`
  return { name: "Node", ok, words, needed: true }
}

async function homeFolder(home: string): Promise<Check> {
  const name = "Joey's folder"
  let there = home
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there)
  try {
    accessSync(there, constants.W_OK | constants.X_OK)
    if (there === home) await rm(await mkdtemp(join(home, ".doctor-")), { recursive: true })
    const { bavail, bsize } = await statfs(there)
    const free = bavail * bsize
    const words = `${home}${there === home ? "" : " (made with the first task)"}, ${sizeWords(free)} free`
    return {
      name,
      ok: free >= LEAST_DISK,
      words: free >= LEAST_DISK ? words : `${words}: make room, or set JOEY_HOME`,
      needed: free < 1e6,
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown"
    return {
      name,
      ok: false,
      words: `${home} cannot be written (${code}): mend it, or set JOEY_HOME to another folder`,
      needed: true,
    }
  }
}

/** The names of variables that are set, and what would be used. */
function model({ settings: { model: chosen, profile, baseUrl } }: Project, env: NodeJS.ProcessEnv): Check {
  const keys = vendors.flatMap(({ keyVariables }) => keyVariables.filter((one) => env[one]?.trim()))
  const held = keys.length > 0 ? `keys in ${[...new Set(keys)].join(", ")}` : "no key of a vendor in the environment"
  const used = profile ? `profile ${profile}` : (chosen ?? baseUrl)
  if (used) return { name: "Model", ok: true, words: `${used}; ${held}` }
  const how =
    keys.length > 0
      ? "choose one with --model VENDOR/NAME"
      : "set one, such as OPENROUTER_API_KEY, or run a server such as Ollama; joey demo needs none"
  return { name: "Model", ok: false, words: `none chosen; ${held}: ${how}` }
}

function settings({ findings, untrusted }: Project): Check {
  const waiting =
    untrusted.length > 0 ? `; ${count(untrusted.length, "thing")} of this project not trusted yet (--trust-project)` : ""
  if (findings.length === 0) return { name: "Settings", ok: true, words: `nothing wrong${waiting}` }
  const [first] = findings
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more: joey config)` : ""
  const place = first?.line === undefined ? first?.file : `${first.file}:${first.line}`
  return { name: "Settings", ok: false, words: `${place}: ${first?.reason}${more}${waiting}` }
}

async function searching(): Promise<Check> {
  try {
    const program = await ripgrepProgram()
    return { name: "ripgrep", ok: true, words: (await firstLine(program, ["--version"])) ?? program, needed: true }
  } catch (error) {
    return { name: "ripgrep", ok: false, words: error instanceof Error ? error.message : String(error), needed: true }
  }
}

async function version(name: string, without: string): Promise<Check> {
  const program = await findProgram(name)
  const line = program && (await firstLine(program, ["--version"]))
  return line ? { name, ok: true, words: line.replace(/^git version /, "") } : { name, ok: false, words: `not here; ${without}` }
}

async function shell({ settings: { shell: wanted } }: Project): Promise<Check> {
  const { program, missing } = await findShell(wanted)
  if (missing === undefined) return { name: "Shell", ok: existsSync(program), words: program, needed: true }
  return { name: "Shell", ok: false, words: `${missing} is not here; ${program} runs commands instead (setting shell)` }
}

async function terminals(): Promise<Check> {
  const ok = await import("@lydell/node-pty").then(
    () => true,
    () => false,
  )
  const words = ok
    ? "commands can have one of their own"
    : "commands that insist on one run on pipes: install Joey again with optional dependencies"
  return { name: "Terminals", ok, words }
}

async function sqlite(): Promise<Check> {
  try {
    const { DatabaseSync } = await import("@photostructure/sqlite")
    const database = new DatabaseSync(":memory:")
    database.exec("create virtual table words using fts5(text)")
    database.close()
    return { name: "SQLite", ok: true, words: "with full text search" }
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n")[0] : String(error)
    return {
      name: "SQLite",
      ok: false,
      words: `the list of tasks and the code index are slower or missing (${why}): install Joey again`,
    }
  }
}

async function sandbox({ settings }: Project): Promise<Check> {
  const { sandboxProblem } = await import("../../host/sandbox.ts")
  const problem = await sandboxProblem()
  const { enabled, network } = settings.sandbox
  const state = enabled ? `on, network ${network ? "on" : "off"}` : "off (sandbox.enabled)"
  if (problem === undefined) return { name: "Sandbox", ok: true, words: `bubblewrap works; ${state}`, needed: enabled }
  const [why = problem] = problem.split(" Nothing was run.")
  const hints = why.startsWith("bubblewrap cannot") ? limits() : []
  return { name: "Sandbox", ok: false, words: [why, ...hints].join(" "), needed: enabled }
}

/** Why a system does not let people make the namespaces that a sandbox is made of. */
function limits(): string[] {
  const value = (name: string) => {
    try {
      return readFileSync(`/proc/sys/${name}`, "utf8").trim()
    } catch {
      return ""
    }
  }
  return [
    value("kernel/apparmor_restrict_unprivileged_userns") === "1" &&
      "AppArmor limits user namespaces: allow them for bwrap with a profile, or set kernel.apparmor_restrict_unprivileged_userns=0.",
    value("kernel/unprivileged_userns_clone") === "0" && "User namespaces are off: set kernel.unprivileged_userns_clone=1.",
    value("user/max_user_namespaces") === "0" && "User namespaces are off: raise user.max_user_namespaces.",
    existsSync("/.dockerenv") && "In a container namespaces must be allowed when it is started.",
  ].filter((line) => typeof line === "string")
}

async function browser(env: NodeJS.ProcessEnv): Promise<Check> {
  const found = findBrowser(env)
  if ("problem" in found) return { name: "Browser", ok: false, words: found.problem }
  const line = await firstLine(found.program, ["--version"])
  if (line === undefined)
    return { name: "Browser", ok: false, words: `${found.program} does not start; name another with JOEY_BROWSER` }
  const root = process.getuid?.() === 0 ? "; you are root: it runs without a sandbox of its own" : ""
  return { name: "Browser", ok: true, words: `${found.program}, ${line}${root}` }
}

/** undefined when it does not start, fails, or prints nothing. */
async function firstLine(program: string, args: readonly string[]): Promise<string | undefined> {
  let printed = ""
  try {
    const { exitCode } = await runProcess({
      program,
      args,
      cwd: "/",
      env: process.env,
      timeoutMs: PATIENCE_MS,
      onOutput(text, stream) {
        if (stream === "stdout" && printed.length < 10_000) printed += text
      },
    })
    const line = printed.split("\n").find((one) => one.trim() !== "")
    return exitCode === 0 ? line?.trim().slice(0, 200) : undefined
  } catch {
    return undefined
  }
}
