/** For tests of hooks: a workspace of their own, real commands in it, and what was noticed. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"
import type { HookedCall } from "../types/hooks.ts"
import type { HookFacts, HookPorts } from "./hook.ts"
import { runCommand } from "./run-command.ts"

export interface TestPorts extends HookPorts {
  readonly workspace: string
  readonly notices: string[]
}

export async function testPorts(files: Record<string, string> = {}, facts: Partial<HookFacts> = {}): Promise<TestPorts> {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), "joey-hooks-")))
  onTestFinished(() => rm(workspace, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, name)), { recursive: true })
    await writeFile(join(workspace, name), content, { mode: 0o755 })
  }
  const notices: string[] = []
  const common = {
    session: "task-1",
    transcript: "/tmp/log.jsonl",
    mode: "code",
    approval: "default",
    model: "test/model",
  } as const
  return {
    workspace,
    notices,
    run: runCommand,
    environment: () => ({ PATH: process.env["PATH"] }),
    notice: (text) => void notices.push(text),
    facts: () => ({ ...common, workspace, ...facts }),
  }
}

/** An edit of a file, known to another agent as Edit and Write. */
export function testCall(changes: Partial<HookedCall> = {}): HookedCall {
  return {
    key: "1.1",
    tool: "change",
    knownAs: [
      { agent: "claude-code", name: "Edit", arguments: { path: "file_path" } },
      { agent: "claude-code", name: "Write", arguments: { path: "file_path" } },
    ],
    input: { path: "src/a.ts", content: "x" },
    mode: "code",
    effect: "write",
    paths: ["src/a.ts"],
    ...changes,
  }
}

export const shellCall = (command: string): HookedCall =>
  testCall({
    tool: "shell",
    knownAs: [{ agent: "claude-code", name: "Bash" }],
    input: { command },
    effect: "execute",
    paths: [],
  })

export const quiet = (): AbortSignal => new AbortController().signal
