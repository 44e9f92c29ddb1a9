/**
 * What a command in the sandbox sees of the disk: everything, read-only, but for the workspace, a temp folder of its own and what the
 * person listed. Secrets and the sockets of other programs are not there; what steers git or Joey stays as it is.
 */
import { lstatSync, readdirSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { isBeneath } from "../text/path-forms.ts"
import { realPath } from "./real-path.ts"

export interface SandboxRules {
  workspace: string
  /** Joey's own folder: keys, trust, the logs of tasks. */
  joeyHome: string
  network: boolean
  /** The workspace may be read only. */
  readOnly: boolean
  /** Absolute, from `~`, or from the workspace. */
  writable: readonly string[]
  readable: readonly string[]
}

export interface Mount {
  /** Real. */
  path: string
  /** `write` and `read` show what is there (or what `from` names), `empty` an empty folder, `nothing` an empty file. */
  kind: "write" | "read" | "empty" | "nothing"
  from?: string
}

/** Of the person's home: folders and files that hold secrets, and sockets of programs that would run things outside for a command. */
const SECRET_IN_HOME = [
  ...[".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".password-store", ".terraform.d", ".mozilla", ".thunderbird"],
  ...[".local/share/keyrings", ".config/gcloud", ".config/gh", ".config/hub", ".config/op", ".config/sops", ".config/rclone"],
  ...[".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".netrc", ".git-credentials", ".npmrc"],
  ...[".config/git/credentials", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf", ".vault-token", ".s3cfg", ".boto"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".claude/.credentials.json", ".codex/auth.json"],
  ...[".gemini/oauth_creds.json", ".local/share/opencode/auth.json", ".bash_history", ".zsh_history", ".psql_history"],
]
const SECRET_IN_SYSTEM = ["/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/gshadow-", "/etc/ssh", "/etc/sudoers"]
/** Where programs listen that act for whoever speaks to them: containers, the desktop, the person's own services. */
const SOCKETS = ["/run", "/var/snap", "/var/lib/lxd", "/var/lib/incus", "/mnt/wslg"]
/** Of /run: without these names are not resolved, and some systems have no programs. */
const NEEDED_IN_RUN = "systemd/resolve resolvconf NetworkManager connman nscd current-system opengl-driver".split(" ")
const TEMP = ["/tmp", "/var/tmp"]
/** Of Joey's own folder these are written for the model, and skills bring programs along. */
const FOR_THE_MODEL = ["skills", "rules", "commands", "modes", "tools"]
/** What would be read or run later, outside, by git, an editor, a shell or Joey. */
const STEERING = [
  ...[".joey", ".roo", ".roomodes", ".rooignore", ".joeyignore", ".rooprotected", ".agents", ".claude", ".mcp.json", ".vscode"],
  ...[".cursorrules", ".clinerules", ".roorules", "AGENTS.md", "AGENT.md", "CLAUDE.md"],
]
const STEERING_IN_HOME = [
  ...[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".gitconfig",
    ".config",
    ".local/bin",
  ],
]
const GIT_STEERING = ["hooks", "config", "config.worktree", "commondir"]
const MOST_SUBMODULES = 100

/** In the order in which they are made: what lies deeper comes later. `temp` is the folder that stands for /tmp. */
export function mountsOf(rules: SandboxRules, temp: string): Mount[] {
  const mounts = new Map<string, Mount>()
  const add = (path: string, kind: Mount["kind"], from?: string) => {
    const real = existing(path)
    if (real === undefined) return
    mounts.delete(real)
    mounts.set(real, { path: real, kind, ...(from && { from }) })
  }
  const workspace = realPath(rules.workspace)
  const place = (path: string) => resolve(workspace, path.replace(/^~(?=\/|$)/, homedir()))
  const readable = rules.readable.map(place)
  const writable = rules.writable.map(place)

  for (const path of TEMP) add(path, "write", temp)
  for (const path of SOCKETS) add(path, "empty")
  for (const name of NEEDED_IN_RUN) add(join("/run", name), "read")
  const secrets = [...SECRET_IN_SYSTEM, ...SECRET_IN_HOME.map((name) => join(homedir(), name))]
  for (const path of secrets) add(path, isFolder(path) ? "empty" : "nothing")
  add(rules.joeyHome, "empty")
  for (const name of FOR_THE_MODEL) add(join(rules.joeyHome, name), "read")
  for (const path of readable) add(path, "read")
  add(workspace, rules.readOnly ? "read" : "write")
  if (rules.readOnly) return inOrder(mounts)
  for (const path of writable) add(path, "write")
  for (const path of gitFolders(workspace)) add(path, "write")
  for (const path of steering(workspace)) if (!isListed(path, writable, workspace)) add(path, "read")
  return inOrder(mounts)
}

/**
 * The repository's own folders. One that is a mount cannot be renamed, and so nobody can put another in its place, with hooks of their
 * own. In a worktree `.git` is a file; where it leads counts when that leads back, and lies outside, where no command could have made it.
 */
export function gitFolders(workspace: string): string[] {
  const dotGit = join(workspace, ".git")
  const facts = lstatSync(dotGit, { throwIfNoEntry: false })
  if (facts?.isDirectory()) return [dotGit]
  const named = facts?.isFile() ? /^gitdir: (.+)$/m.exec(textOf(dotGit))?.[1] : undefined
  const folder = named === undefined ? undefined : existing(resolve(workspace, named.trim()))
  if (folder === undefined || isBeneath(workspace, folder, process.platform)) return []
  const back = existing(resolve(folder, textOf(join(folder, "gitdir")).trim() || "."))
  const common = dirname(dirname(folder))
  const isWorktree = back === dotGit && basename(dirname(folder)) === "worktrees" && isFolder(join(common, "objects"))
  return isWorktree ? [common] : []
}

/** Only what lies in the workspace or its repository: a link must not lead the mounts elsewhere. */
function steering(workspace: string): string[] {
  const git = gitFolders(workspace)
  const own = [".git", ...STEERING, ...(workspace === existing(homedir()) ? STEERING_IN_HOME : [])].map((name) =>
    join(workspace, name),
  )
  const parts = git
    .flatMap((folder) => [folder, ...submodules(folder)])
    .flatMap((folder) => GIT_STEERING.map((name) => join(folder, name)))
  const isOwn = (path: string) => [workspace, ...git].some((root) => isBeneath(root, path, process.platform))
  return [...own, ...parts].filter((path) => existing(path) === path && isOwn(path) && !git.includes(path))
}

function submodules(folder: string): string[] {
  try {
    return readdirSync(join(folder, "modules"))
      .slice(0, MOST_SUBMODULES)
      .map((name) => join(folder, "modules", name))
  } catch {
    return []
  }
}

/** The person may open single ones of them; the workspace as a whole does not count. */
function isListed(path: string, writable: readonly string[], workspace: string): boolean {
  const covers = (listed: string) =>
    listed === path || (isBeneath(listed, path, process.platform) && isBeneath(workspace, listed, process.platform))
  return writable.some((listed) => listed !== workspace && covers(listed))
}

function inOrder(mounts: ReadonlyMap<string, Mount>): Mount[] {
  const depth = ({ path }: Mount) => (path === "/" ? 0 : path.split("/").length)
  return [...mounts.values()].sort((one, other) => depth(one) - depth(other))
}

/** undefined for what is not there. Through links: only a real place can be mounted on. */
function existing(path: string): string | undefined {
  try {
    // Most are not there, and an error for each would take longer than all the rest.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
    const real = realPath(path)
    return lstatSync(real, { throwIfNoEntry: false }) && real
  } catch {
    return undefined
  }
}

function isFolder(path: string): boolean {
  const real = existing(path)
  return real !== undefined && lstatSync(real).isDirectory()
}

function textOf(file: string): string {
  try {
    return lstatSync(file).size > 4096 ? "" : readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

/** Whether a folder is in the sandbox what it is outside. */
export function isThere(folder: string, mounts: readonly Mount[]): boolean {
  const over = mounts.filter(({ path }) => isBeneath(path, folder, process.platform)).at(-1)
  return over === undefined || ((over.kind === "write" || over.kind === "read") && over.from === undefined)
}
