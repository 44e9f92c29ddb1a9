/** Starts a command on a terminal of its own, where the package for that is installed: programs that insist on one can be used. */
import { constants } from "node:os"
import { HostError } from "../types/host.ts"
import { cannotStart, type JobProcess, type JobProcessStart } from "./job-process.ts"

const SIZE = { cols: 120, rows: 40 }
/**
 * The system throws away what nobody has read yet when the first process of a terminal ends. So ours is one that stays a moment
 * longer than the command, and then ends as the command did.
 */
const STAYS = `trap : INT QUIT; "$@"; s=$?; trap - INT QUIT; sleep 0.1; [ $s -gt 128 ] && kill -$((s-128)) $$; exit $s`

/** undefined when there are no terminals to be had. */
export async function startOnTerminal(start: JobProcessStart): Promise<JobProcess | undefined> {
  const spawn = await terminals()
  if (!spawn) return undefined
  const { program, args, cwd, env, sink } = start
  if (args.some((text) => text.includes("\0"))) throw new HostError("other", "the command contains a NUL character")
  try {
    // Bytes, not text: what was printed is kept as it was, whatever its encoding.
    const terminal = spawn("/bin/sh", ["-c", STAYS, "sh", program, ...args], {
      ...SIZE,
      name: env["TERM"] ?? "dumb",
      cwd,
      env,
      encoding: null,
    })
    terminal.onData((bytes: string | Uint8Array) => sink.push(typeof bytes === "string" ? Buffer.from(bytes) : bytes))
    const ended = new Promise<{ exitCode: number | null; signal?: string }>((resolve) => {
      terminal.onExit(({ exitCode, signal }) => resolve(signal ? { exitCode: null, signal: nameOf(signal) } : { exitCode }))
    })
    return { pid: terminal.pid, ended, write: async (text) => terminal.write(text) }
  } catch (error) {
    throw cannotStart(error, program)
  }
}

function nameOf(signal: number): string {
  return Object.entries(constants.signals).find(([, number]) => number === signal)?.[0] ?? `signal ${signal}`
}

async function terminals() {
  try {
    return (await import("@lydell/node-pty")).spawn
  } catch {
    return undefined // optional, and not built for every system
  }
}
