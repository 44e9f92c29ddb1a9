/**
 * `joey index`: builds or refreshes the code index of this folder. `--status` tells what it holds, `--clear` removes it,
 * words search it: the same places in the same order as the model gets them.
 */
import { existsSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { resolve } from "node:path"
import { type CodeIndex, openCodeIndex } from "../../code-index/code-index.ts"
import { canIndex, codeIndexFile } from "../../code-index/place.ts"
import { removeStore } from "../../code-index/store.ts"
import { loadProject, type Project } from "../../engine/load-project.ts"
import { guardHost } from "../../host/guarded.ts"
import { localHost } from "../../host/local.ts"
import { credentialTest } from "../../policy/credentials.ts"
import { joeyHome } from "../../task/store.ts"
import { count } from "../../text/count.ts"
import { onOneLine, visible } from "../../text/printable.ts"
import { durationWords, sizeWords } from "../../text/size-words.ts"
import { type Host, HostError } from "../../types/host.ts"
import { EXIT } from "../../ui/print/print-task.ts"
import { readArgumentsWith, UsageError } from "../arguments.ts"
import { checkFolder, reportFindings, showHelp } from "../project-arguments.ts"
import { settingsFlags } from "../settings-flags.ts"

const MOST_HITS = 10
const TELL_EVERY_MS = 100

export async function index(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const { options, own } = readArgumentsWith(args, { status: { type: "boolean" }, clear: { type: "boolean" } })
  const { env, stdout } = process
  if (options.help) return showHelp(stdout)
  const words = options.words.join(" ").trim()
  if ([own.status, own.clear, words !== ""].filter(Boolean).length > 1) {
    throw new UsageError("joey index takes one of --status, --clear or words to search for.")
  }
  const workspace = checkFolder(resolve(process.cwd(), options.workspace ?? "."))
  const home = joeyHome(env)
  const { trustProject, format } = options
  const project = await loadProject({ workspace, home, env, flags: settingsFlags(options), trustProject })
  reportFindings(project.findings, process)
  const file = codeIndexFile(home, workspace)
  const wanted = { file, words, workspace, status: own.status === true, clear: own.clear === true, json: format !== "text" }
  const opened = openCodeIndex({ host: hostOf(project, home), file, mostFiles: project.settings.codeIndex.maxFiles })
  try {
    return await act(opened, wanted, process)
  } catch (error) {
    if (!(error instanceof HostError)) throw error
    process.stderr.write(`joey: ${onOneLine(visible(error.message))}\n`)
    return EXIT.fault
  } finally {
    await opened.close()
  }
}

/** What a task may read, nothing more. */
function hostOf({ sources: { workspace }, isIgnored, isDenied }: Project, home: string): Host {
  const host = localHost(workspace)
  const isSecret = credentialTest(home)
  const guard = guardHost(host, [workspace], (path) => isIgnored(path) || isDenied(path))
  return { ...guard([]), isSecret: (path) => isSecret(host.resolve(path), path) }
}

interface Wanted {
  file: string
  words: string
  workspace: string
  status: boolean
  clear: boolean
  json: boolean
}

async function act(
  opened: CodeIndex,
  { file, words, workspace, status, clear, json }: Wanted,
  process: NodeJS.Process,
): Promise<number> {
  const print = (line: string, data: object) =>
    void process.stdout.write(`${json ? JSON.stringify({ v: 1, type: "index", ...data }) : line}\n`)
  if (clear) {
    const was = existsSync(file)
    removeStore(file)
    print(was ? "The code index of this folder is removed." : "There was no code index of this folder.", { cleared: was })
    return 0
  }
  if (status && !existsSync(file)) {
    print("There is no code index of this folder yet; joey index builds it.", { files: 0, passages: 0 })
    return 0
  }
  if (status) {
    const { files, passages } = await opened.status()
    const bytes = statSync(file).size
    print(`${count(files, "file")}, ${count(passages, "passage")}, ${sizeWords(bytes)}: ${file}`, {
      files,
      passages,
      bytes,
      file,
    })
    return 0
  }
  if (!canIndex({ workspace, userHome: homedir(), file, enabled: true })) {
    throw new UsageError(`${workspace} is no project but a place that holds many; choose a folder with --workspace DIR.`)
  }
  const stop = stopper(process)
  const progress = { signal: stop.signal, onProgress: teller(process) }
  try {
    if (words !== "") return await find(opened, words, progress, print)
    const began = performance.now()
    const { files, passages, notes } = await opened.refresh(progress)
    process.stderr.write(process.stderr.isTTY ? "\r\u001b[K" : "")
    for (const note of notes) process.stderr.write(`joey: ${note}\n`)
    const took = durationWords(performance.now() - began)
    print(`${count(files, "file")}, ${count(passages, "passage")}: up to date after ${took}.`, { files, passages, notes })
    return 0
  } catch (error) {
    if (!stop.signal.aborted) throw error
    process.stderr.write("\njoey: stopped; what was read is kept.\n")
    return EXIT.cancelled
  } finally {
    stop.forget()
  }
}

type Progress = Parameters<CodeIndex["refresh"]>[0]

async function find(
  opened: CodeIndex,
  words: string,
  progress: Progress,
  print: (line: string, data: object) => void,
): Promise<number> {
  const { hits, pending, notes } = await opened.search(words, { most: MOST_HITS, ...progress })
  const lines = hits.map(({ path, lines, symbol, why }) => `${path}:${lines[0]}-${lines[1]}  ${symbol ?? ""}  (${why})`)
  const late = pending > 0 ? [`The index is not complete yet: ${count(pending, "file")} to go.`] : []
  const none = hits.length === 0 ? ["Nothing speaks of that."] : []
  print([...lines, ...none, ...late, ...notes].map((line) => onOneLine(visible(line))).join("\n"), { hits, pending, notes })
  return 0
}

/** On a terminal one line that is written over; elsewhere nothing. */
function teller({ stderr }: NodeJS.Process): (done: number, of: number) => void {
  let last = 0
  return (done, of) => {
    if (!stderr.isTTY || performance.now() - last < TELL_EVERY_MS) return
    last = performance.now()
    stderr.write(`\rIndexing ${done} of ${count(of, "file")} …\u001b[K`)
  }
}

/** Ctrl-C ends it in order, so that what was read is kept. */
function stopper(process: NodeJS.Process): { signal: AbortSignal; forget(): void } {
  const controller = new AbortController()
  const stop = () => controller.abort()
  process.once("SIGINT", stop)
  return { signal: controller.signal, forget: () => void process.off("SIGINT", stop) }
}
