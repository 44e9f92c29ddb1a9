/** For tests: a workspace, its checkpoints, calls that really change files, and git where it is wanted. */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"
import type { Effect } from "../types/tool.ts"
import { type CheckpointOptions, openCheckpoints } from "./checkpoints.ts"

export interface Scene {
  root: string
  workspace: string
  folder: string
  at(path: string): string
  read(path: string): string
  /** undefined where nothing is. */
  found(path: string): string | undefined
  mode(path: string): number
  write(path: string, content: string | Uint8Array, mode?: number): void
  git(...args: string[]): string
  /** Makes a repository of the workspace and commits everything, long enough ago for its index to be believed. */
  commitAll(): void
  /** A call between its checkpoint's two halves. Gives what the person is told. */
  call(effect: Effect, paths: readonly string[], act: () => void | Promise<void>): Promise<string[]>
  edit(path: string, content: string): Promise<string[]>
  command(act: () => void | Promise<void>): Promise<string[]>
  /** As after a restart, or another task of the tree. */
  reopen(options?: Partial<CheckpointOptions>): void
}

export function scene(files: Record<string, string | Uint8Array> = {}, options: Partial<CheckpointOptions> = {}): Scene {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "joey-checkpoints-")))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const workspace = join(root, "work")
  const folder = join(root, "home", "checkpoints")
  mkdirSync(workspace)
  const at = (path: string) => join(workspace, path)
  let number = 0
  const open = (further: Partial<CheckpointOptions> = {}) =>
    openCheckpoints({ folder, task: "task-1", workspace, lastSeq: () => 10 * number, ...options, ...further })
  let checkpoints = open()
  const self: Scene = {
    root,
    workspace,
    folder,
    at,
    read: (path) => readFileSync(at(path), "utf8"),
    found: (path) => (existsSync(at(path)) ? readFileSync(at(path), "utf8") : undefined),
    mode: (path) => lstatSync(at(path)).mode & 0o7777,
    write(path, content, mode) {
      mkdirSync(dirname(at(path)), { recursive: true })
      writeFileSync(at(path), content)
      if (mode !== undefined) chmodSync(at(path), mode)
    },
    git: (...args) => git(workspace, ...args),
    commitAll: () => commitAll(workspace),
    async call(effect, paths, act) {
      number++
      const real = paths.map(at)
      const kept = await checkpoints.before({ callKey: `${number}.1`, turn: number, tool: "a-tool", effect, paths: real })
      await act()
      return kept.after()
    },
    edit: (path, content) => self.call("write", [path], () => self.write(path, content)),
    command: (act) => self.call("execute", [], act),
    reopen(further) {
      checkpoints = open(further)
    },
  }
  for (const [path, content] of Object.entries(files)) self.write(path, content)
  return self
}

export function git(cwd: string, ...args: string[]): string {
  const env = { PATH: process.env["PATH"], HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" }
  const set = [
    "-c",
    "user.name=A",
    "-c",
    "user.email=a@example.org",
    "-c",
    "protocol.file.allow=always",
    "-c",
    "core.autocrlf=false",
  ]
  return execFileSync("git", [...set, ...args], { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
}

export function commitAll(folder: string): void {
  git(folder, "init", "-q")
  git(folder, "add", "-A")
  git(folder, "commit", "-q", "-m", "all")
  const then = new Date(Date.now() - 10_000)
  for (const path of git(folder, "ls-files", "-z").split("\0").filter(Boolean)) {
    if (lstatSync(join(folder, path)).isFile()) utimesSync(join(folder, path), then, then)
  }
  git(folder, "update-index", "-q", "--refresh")
}
