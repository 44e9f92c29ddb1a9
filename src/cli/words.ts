/** Where the task's words come from: the command line, a file, standard input. */
import { fstatSync, readFileSync } from "node:fs"
import { UsageError } from "./arguments.ts"

/** A pipe that somebody left open must not hang a run that already has its words. */
const PIPE_PATIENCE_MS = 1_000

export interface WordSources {
  words: readonly string[]
  promptFile?: string
}

export async function gatherWords({ words, promptFile }: WordSources, process: NodeJS.Process): Promise<string> {
  const given = [words.filter((word) => word !== "-").join(" "), promptFile ? readPromptFile(promptFile) : ""]
  const haveSome = given.some((text) => text.trim() !== "") && !words.includes("-")
  return [...given, await readPiped(process, haveSome)]
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .join("\n\n")
}

function readPromptFile(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    throw new UsageError(`Cannot read the prompt file ${path} (${(error as NodeJS.ErrnoException).code}).`)
  }
}

/** "" unless something is piped in. With `haveSome`, silence counts as nothing after a moment, and that is said. */
function readPiped({ stdin, stderr }: NodeJS.Process, haveSome: boolean): Promise<string> {
  if (stdin.isTTY || !isPipeOrFile()) return Promise.resolve("")
  return new Promise((resolve, reject) => {
    let text = ""
    const giveUp = setTimeout(() => {
      if (!haveSome) return void stderr.write("joey: reading the task from standard input (end it with Ctrl-D)\n")
      stderr.write("joey: nothing came on standard input; going on without it (the word - waits for it)\n")
      stdin.destroy()
      resolve("")
    }, PIPE_PATIENCE_MS)
    stdin.setEncoding("utf8")
    stdin.on("data", (chunk: string) => {
      clearTimeout(giveUp)
      text += chunk
    })
    stdin.on("end", () => {
      clearTimeout(giveUp)
      resolve(text)
    })
    stdin.on("error", reject)
  })
}

function isPipeOrFile(): boolean {
  try {
    const facts = fstatSync(0)
    return facts.isFIFO() || facts.isFile() || facts.isSocket()
  } catch {
    return false
  }
}
