/** What the person's words bring along at a turn: files they point at, and how things stand. Reads through the guarded host only. */
import { environmentDetails, localTime } from "../context/environment.ts"
import { expandMentions, type MentionPorts } from "../context/mentions.ts"
import { findMode } from "../modes/groups.ts"
import { expandCommand, findCommand } from "../project/commands.ts"
import { listFolder } from "../project/listing.ts"
import { findMentions } from "../project/mentions.ts"
import { binaryKind } from "../text/binary-kind.ts"
import { type Host, HostError, type ProcessSpec } from "../types/host.ts"
import type { UserMessage } from "../types/message.ts"
import type { TaskState } from "../types/state.ts"
import type { Context } from "../types/stations.ts"
import type { Project } from "./load-project.ts"

const PAGE = 2_000
const SNIFF = 4_096
const MOST_ENTRIES = 200
const LARGEST_IMAGE = 5 * 1024 * 1024

export interface MessageContextParts {
  host: Host
  project(): Project
  now(): number
  changeMode(mode: string, reason: string): void
}

export function messageContext({ host, project, now, changeMode }: MessageContextParts): Context {
  return {
    async heard(unheard, state) {
      const words = wordsOf(unheard)
      const attachments = await Promise.all(words.map((each) => expandMentions(each, mentionPorts(host, project()))))
      const commands = words.flatMap((each) => slashCommand(each, project()))
      for (const { name, mode } of commands) if (mode && mode !== state.mode) changeMode(mode, `asked for by /${name}`)
      const texts = [...commands.map(({ text }) => text), await howThingsStand(host, project(), state, now())]
      return [...attachments.flat(), ...texts.map((text) => ({ type: "text", text }) as const)]
    },
  }
}

/** Words that begin with `/name` bring that command's text along; any other slash is just a slash. */
function slashCommand(words: string, { commands, modes }: Project): { name: string; mode: string | undefined; text: string }[] {
  const [, name, args = ""] = /^\/([\w.:-]+)(?:\s+([\s\S]*))?$/.exec(words.trim()) ?? []
  const command = name === undefined ? undefined : findCommand(commands, name)
  if (!command) return []
  const mode = command.mode && findMode(modes, command.mode)?.slug
  const text = `The person ran the command /${command.name}. It says:\n\n${expandCommand(command, args)}`
  return [{ name: command.name, mode, text }]
}

function wordsOf(messages: readonly UserMessage[]): string[] {
  return messages.flatMap(({ content }) => content.flatMap((part) => (part.type === "text" ? [part.text] : [])))
}

async function howThingsStand(
  host: Host,
  { settings, modes, isIgnored }: Project,
  state: Readonly<TaskState>,
  now: number,
): Promise<string> {
  const first = state.turn === 0
  const { environment } = settings
  const name = findMode(modes, state.mode)?.name ?? state.mode
  const workspace =
    first && environment.workspaceFiles > 0 ? await listFolder(host.workspace, environment.workspaceFiles, isIgnored) : undefined
  return environmentDetails(
    {
      time: localTime(now),
      mode: { slug: state.mode, name },
      model: state.model,
      ...(state.usage.cost !== undefined && { cost: state.usage.cost }),
      todos: state.todos,
      recentFiles: [],
      backgroundCommands: [],
      ...(workspace && { workspace }),
    },
    environment,
    { first },
  )
}

function mentionPorts(host: Host, { isIgnored }: Project): MentionPorts {
  const kept = (path: string) => isIgnored(path.replace(/^\.?\//, ""))
  return {
    find: findMentions,
    async readPage(path) {
      if (kept(path)) return { unread: "is kept from you by the project's ignore file" }
      return unlessMissing(async () => {
        const kind = binaryKind(await host.readHead(path, SNIFF))
        return kind ? { unread: `is not text (${kind})` } : host.readLines(path, { offset: 1, limit: PAGE })
      })
    },
    list: (path) =>
      unlessMissing(async () => {
        const real = await host.realPath(path)
        if (!(await host.stat(path))) return { unread: "does not exist" }
        const inside = path.replace(/\/?$/, "/").replace(/^\.?\//, "")
        return listFolder(real, MOST_ENTRIES, (entry) => isIgnored(`${inside}${entry}`))
      }),
    async image(path) {
      if (kept(path)) return { unread: "is kept from you by the project's ignore file" }
      return unlessMissing(async () => {
        const facts = await host.stat(path)
        if (facts && facts.size > LARGEST_IMAGE) return { unread: `is too big (${Math.round(facts.size / 1_048_576)} MB)` }
        return { mediaType: mediaTypeOf(path), data: Buffer.from(await host.readFile(path)).toString("base64") }
      })
    },
    gitDiff: () => git(host, `${GIT} status --short && ${GIT} diff ${PLAIN} HEAD`),
    gitCommit: (hash) => git(host, `${GIT} show ${PLAIN} --stat --patch ${hash}`),
  }
}

/** A repository's own configuration must not start programs when its state is looked at. */
const GIT = "git --no-pager -c core.fsmonitor=false -c core.hooksPath=/dev/null"
const PLAIN = "--no-ext-diff --no-textconv"

async function git(host: Host, shell: string): Promise<{ text: string } | { unread: string }> {
  const { exitCode, text } = await outputOf(host, { shell }, 10_000)
  return exitCode === 0 ? { text } : { unread: "could not be read: git failed" }
}

async function outputOf(host: Host, process: ProcessSpec, timeoutMs: number): Promise<{ exitCode: number | null; text: string }> {
  let text = ""
  const { exitCode } = await host.run(process, {
    timeoutMs,
    onOutput(piece, stream) {
      if (stream === "stdout") text += piece
    },
  })
  return { exitCode, text }
}

async function unlessMissing<T>(read: () => Promise<T>): Promise<T | { unread: string }> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof HostError) return { unread: error.code === "not-found" ? "does not exist" : error.message }
    throw error
  }
}

function mediaTypeOf(path: string): string {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase()
  return `image/${extension === "jpg" ? "jpeg" : extension === "svg" ? "svg+xml" : extension}`
}
