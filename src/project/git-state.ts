/**
 * What git says of the workspace: what has changed, and one commit. A repository's own configuration can name programs for almost
 * everything git does, and it may come with an archive from anywhere; here none of them is started, nothing is fetched, and no
 * other folder than the repository's own is looked into. What the project ignores is left out.
 */
import { realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { count } from "../text/count.ts"
import { printableLine } from "../text/printable.ts"
import { truncate } from "../text/truncate.ts"
import type { Host } from "../types/host.ts"
import { lookAt } from "./disk.ts"

/** `unread` goes on from a name: "is not in a git repository". */
export type GitText = { text: string } | { unread: string }

export interface GitState {
  /** Short status, then the difference to the last commit. */
  changes(): Promise<GitText>
  /** Who, when, why, which files, and the difference. The hash is hexadecimal, whole or its beginning. */
  commit(hash: string): Promise<GitText>
}

export interface GitOptions {
  host: Pick<Host, "run" | "workspace">
  /** Paths from the workspace. */
  isIgnored(path: string): boolean
  timeoutMs?: number
}

const MOST_CHARACTERS = 400_000
const MOST_FILES = 200

/** They win over every file of configuration. */
const NOTHING_RUNS = [
  ...["core.fsmonitor=false", "core.hooksPath=/dev/null", "core.sshCommand=false", "core.quotePath=false", "color.ui=false"],
  ...["protocol.allow=never", "log.showSignature=false", "safe.bareRepository=explicit", "diff.submodule=short"],
]
const GLOBAL = ["--no-pager", "--no-optional-locks", "--no-replace-objects", "--literal-pathspecs"]
const PLAIN_DIFF = ["--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=all", "--relative"]
const PLAIN_SHOW = [...PLAIN_DIFF, "--no-show-signature", "--no-notes"]
/** Filters run on files of the working tree, whoever compares them; drivers of protocols when an object is missing. */
const FILTER = /^filter\.(.+)\.(?:clean|smudge|process|required)$/s
const PROTOCOL = /^protocol\.(.+)\.allow$/s

export function gitState({ host, isIgnored, timeoutMs = 10_000 }: GitOptions): GitState {
  const git = gitRunner(host, timeoutMs)

  async function open(): Promise<Repository | { unread: string }> {
    const { workspace } = host
    const place = repositoryAbove(workspace)
    if (!place) return { unread: "is not in a git repository" }
    const plain = git([])
    const where = await plain("rev-parse", "--show-toplevel", "--show-prefix")
    if (!where.ok) return { unread: `could not be read: ${where.problem}` }
    const [top = "", prefix = ""] = where.text.split("\n")
    if (realPath(top) !== realPath(place))
      return { unread: "could not be read: the repository's settings lead to another folder" }
    const settings = await plain("config", "--list", "-z")
    const overrides = settings.ok && !settings.cut ? overridesFor(settings.text) : undefined
    if (!overrides)
      return { unread: "could not be read: the repository's settings name programs that cannot be kept from running" }
    return { git: git(overrides), prefix, isIgnored }
  }

  return {
    async changes() {
      const repository = await open()
      return "unread" in repository ? repository : changesOf(repository)
    },
    async commit(hash) {
      const repository = await open()
      if ("unread" in repository) return repository
      return /^[0-9a-f]{4,64}$/i.test(hash) ? commitOf(repository, hash) : { unread: "there is no such commit" }
    },
  }
}

interface Repository {
  git: Git
  /** The workspace, from the top of the working tree, with a slash behind; empty at the top. */
  prefix: string
  isIgnored(path: string): boolean
}

async function changesOf({ git, prefix, isIgnored }: Repository): Promise<GitText> {
  const status = await git("status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=all", "--", ".")
  if (!status.ok) return { unread: `could not be read: ${status.problem}` }
  const entries = wholeItems(status)
    .map((entry) => ({ state: entry.slice(0, 2), path: entry.slice(3 + prefix.length) }))
    .filter(({ path }) => path !== "")
  const shown = entries.filter(({ path }) => !isIgnored(path))
  const tracked = shown.filter(({ state }) => state !== "??").map(({ path }) => path)
  const hasCommit = (await git("rev-parse", "--quiet", "--verify", "HEAD")).ok
  const since = hasCommit ? ["HEAD"] : ["--cached"]
  const diff = await ofFiles(tracked, (paths) => git("diff", ...PLAIN_DIFF, ...since, "--", ...paths))
  const lines = shown.map(({ state, path }) => `${state} ${printableLine(path)}`)
  return { text: [...lines, ...leftOut(entries.length - shown.length), diff].filter(Boolean).join("\n") }
}

async function commitOf({ git, isIgnored }: Repository, hash: string): Promise<GitText> {
  if (!(await git("rev-parse", "--quiet", "--verify", `${hash}^{commit}`)).ok) return { unread: "there is no such commit" }
  const head = await git("show", ...PLAIN_SHOW, "--no-patch", "--format=medium", hash)
  const named = await git("show", ...PLAIN_SHOW, "--no-renames", "--format=", "--name-only", "-z", hash)
  if (!head.ok || !named.ok) return { unread: `could not be read: ${head.ok ? named.problem : head.problem}` }
  const files = [...new Set(wholeItems(named))]
  const shown = files.filter((path) => !isIgnored(path))
  const diff = await ofFiles(shown, (paths) => git("show", ...PLAIN_SHOW, "--format=", "--stat", "--patch", hash, "--", ...paths))
  return { text: [head.text.trimEnd(), "", ...leftOut(files.length - shown.length), diff].join("\n").trimEnd() }
}

async function ofFiles(paths: readonly string[], diff: (paths: readonly string[]) => Promise<Ran>): Promise<string> {
  if (paths.length === 0) return ""
  const { text, cut, ok, problem } = await diff(paths.slice(0, MOST_FILES))
  const more = paths.length > MOST_FILES ? [`(The differences of ${paths.length - MOST_FILES} more files are left out.)`] : []
  return [ok || cut ? text.trimEnd() : `(The differences could not be read: ${problem})`, ...more].join("\n")
}

function leftOut(files: number): string[] {
  return files > 0 ? [`(${count(files, "file")} kept from you by the project's ignore file.)`] : []
}

function wholeItems({ text, cut }: Ran): string[] {
  const items = text.split("\0")
  return (cut ? items.slice(0, -1) : items).filter((item) => item !== "")
}

/** undefined when something cannot be switched off: git reads `-c a=b.c=d` as the setting `a`. */
function overridesFor(listed: string): string[] | undefined {
  const names = listed.split("\0").map((entry) => entry.split("\n", 1)[0] ?? "")
  const filters = new Set(names.flatMap((name) => FILTER.exec(name)?.[1] ?? []))
  const protocols = new Set(names.flatMap((name) => PROTOCOL.exec(name)?.[1] ?? []))
  if ([...filters, ...protocols].some((name) => name.includes("="))) return undefined
  const unfiltered = [...filters].flatMap((name) =>
    ["clean=", "smudge=", "process=", "required=false"].map((end) => `filter.${name}.${end}`),
  )
  return [...unfiltered, ...[...protocols].map((name) => `protocol.${name}.allow=never`)]
}

interface Ran {
  ok: boolean
  text: string
  /** It printed more than is read. */
  cut: boolean
  problem: string
}

type Git = (...args: string[]) => Promise<Ran>

function gitRunner(host: GitOptions["host"], timeoutMs: number): (overrides: readonly string[]) => Git {
  return (overrides) =>
    async (...args) => {
      const enough = new AbortController()
      const printed = { stdout: "", stderr: "" }
      const settings = [...NOTHING_RUNS, ...overrides].flatMap((setting) => ["-c", setting])
      try {
        const { exitCode, ending } = await host.run(
          { program: "git", args: [...GLOBAL, ...settings, ...args] },
          {
            timeoutMs,
            signal: enough.signal,
            onOutput(piece, stream) {
              if (printed[stream].length < MOST_CHARACTERS) printed[stream] += piece
              else enough.abort()
            },
          },
        )
        const problem = ending === "timed-out" ? "git took too long" : firstLine(printed.stderr)
        return { ok: exitCode === 0 && ending === "exited", text: printed.stdout, cut: enough.signal.aborted, problem }
      } catch {
        return { ok: false, text: "", cut: false, problem: "git cannot be started" }
      }
    }
}

function firstLine(text: string): string {
  return truncate(
    printableLine(
      text
        .trim()
        .split("\n", 1)[0]
        ?.replace(/^fatal: /, "") || "git failed",
    ),
    200,
  )
}

/** The nearest folder upwards that has a `.git`, which is where git itself must arrive. */
function repositoryAbove(workspace: string): string | undefined {
  for (let folder = workspace; ; folder = dirname(folder)) {
    if (lookAt(join(folder, ".git")).mark !== "missing") return folder
    if (dirname(folder) === folder) return undefined
  }
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
