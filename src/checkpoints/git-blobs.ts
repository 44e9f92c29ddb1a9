/**
 * Reads blobs out of a repository's own objects, with one start of git for all of them. Nothing of the repository runs: no filter, no
 * hook, no fetch. Read only; what is missing, too much or not what its name says is left out.
 */
import { spawn } from "node:child_process"
import { blobOf } from "./objects.ts"

export interface BlobBudget {
  ms: number
  bytes: number
}

const NOTHING_RUNS = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "core.sshCommand=false", "protocol.allow=never"]
const OPTIONS = ["--no-pager", "--no-optional-locks", "--no-replace-objects", ...NOTHING_RUNS.flatMap((set) => ["-c", set])]

export async function readGitBlobs(
  gitFolder: string,
  blobs: readonly string[],
  budget: BlobBudget,
): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>()
  const printed = await catFile(gitFolder, blobs, budget)
  for (let at = 0; at < printed.length; ) {
    const end = printed.indexOf(10, at)
    if (end < 0) break
    const [name = "", type = "", size = ""] = printed.toString("latin1", at, end).split(" ")
    at = end + 1
    if (type !== "blob") continue // missing
    const content = printed.subarray(at, at + Number(size))
    at += Number(size) + 1
    if (content.length === Number(size) && blobOf(content) === name) found.set(name, content)
  }
  return found
}

function catFile(gitFolder: string, blobs: readonly string[], { ms, bytes }: BlobBudget): Promise<Buffer> {
  return new Promise((done) => {
    const child = spawn("git", [...OPTIONS, `--git-dir=${gitFolder}`, "cat-file", "--batch"], {
      cwd: gitFolder,
      env: plainEnvironment(),
      stdio: ["pipe", "pipe", "ignore"],
      timeout: ms,
      killSignal: "SIGKILL",
    })
    const parts: Buffer[] = []
    let left = bytes
    child.stdout.on("data", (part: Buffer) => {
      parts.push(part)
      left -= part.length
      if (left < 0) child.kill("SIGKILL")
    })
    child.on("error", () => done(Buffer.alloc(0))) // no git here, or the repository is gone
    child.on("close", () => done(Buffer.concat(parts)))
    child.stdin.on("error", () => {}) // it may be over before it was asked
    child.stdin.end(`${blobs.join("\n")}\n`)
  })
}

/** Variables that would lead git to another repository stay out; no protocol is allowed, whatever the repository sets. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"))
  return { ...Object.fromEntries(kept), GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1", GIT_TERMINAL_PROMPT: "0" }
}
