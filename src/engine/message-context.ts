/** What the person's words bring along at a turn: files they point at, and how things stand. Reads through the guarded host only. */
import { type EnvironmentFacts, environmentDetails, localTime } from "../context/environment.ts"
import { expandMentions } from "../context/mentions.ts"
import { findMode } from "../modes/groups.ts"
import { listFolder } from "../project/listing.ts"
import { backgroundCommands } from "../tools/job-words.ts"
import type { Host } from "../types/host.ts"
import type { Jobs } from "../types/job.ts"
import type { Content, UserMessage } from "../types/message.ts"
import type { TaskState } from "../types/state.ts"
import type { Context } from "../types/stations.ts"
import { folderRules } from "./folder-rules.ts"
import type { Project } from "./load-project.ts"
import { mentionPorts } from "./mention-ports.ts"
import { recentFiles } from "./recent-files.ts"
import type { TaskServers } from "./servers.ts"
import { typedCommand } from "./typed-command.ts"

const PROMPT_MS = 30_000

export interface MessageContextParts {
  host: Host
  jobs: Jobs
  project(): Project
  servers: Pick<TaskServers, "refresh" | "prompts" | "prompt">
  now(): number
  changeMode(mode: string, reason: string): void
  notice(text: string): void
}

export function messageContext({ host, jobs, project, servers, now, changeMode, notice }: MessageContextParts): Context {
  const recent = recentFiles(host.workspace)
  const web = async () => (await import("../host/web.ts")).webPages(project().settings.webFetch)
  return {
    entered: folderRules(project, notice),
    async heard(unheard, state) {
      const words = wordsOf(unheard.filter(({ by }) => by === "person"))
      const attachments = await Promise.all(
        words.map((each) => expandMentions(each, mentionPorts(host, project().isIgnored, { jobs, web }))),
      )
      const commands = (await Promise.all(words.map((each) => typedCommand(each, project(), state.mode)))).flat()
      for (const { name, mode } of commands) if (mode && mode !== state.mode) changeMode(mode, `asked for by /${name}`)
      const texts = [
        ...commands.map(({ text }) => text),
        await howThingsStand(host, project(), state, {
          time: localTime(now()),
          recentFiles: recent.changed(state),
          backgroundCommands: backgroundCommands(jobs, host.workspace),
        }),
      ]
      const prompts = (await Promise.all(words.map((each) => serverPrompt(each, servers)))).flat()
      return [...attachments.flat(), ...prompts, ...texts.map((text) => ({ type: "text", text }) as const)]
    },
  }
}

/** Words that begin with `/mcp:server:prompt`: what the server says there comes along. */
async function serverPrompt(words: string, servers: MessageContextParts["servers"]): Promise<Content[]> {
  const [, name = "", typed = ""] = /^\/(mcp:\S+)(?:\s+([\s\S]*))?$/.exec(words.trim()) ?? []
  if (name === "") return []
  await servers.refresh() // with the first words nobody was asked yet
  if (!servers.prompts().some((prompt) => prompt.name === name)) return []
  try {
    const said = await servers.prompt(name, typed, AbortSignal.timeout(PROMPT_MS))
    return [{ type: "text", text: `The person ran the command /${name} of a server. It says:` }, ...said]
  } catch (error) {
    return [{ type: "text", text: `The person ran the command /${name}, but it failed: ${(error as Error).message}` }]
  }
}

function wordsOf(messages: readonly UserMessage[]): string[] {
  return messages.flatMap(({ content }) => content.flatMap((part) => (part.type === "text" ? [part.text] : [])))
}

async function howThingsStand(
  host: Host,
  { settings, modes, isIgnored }: Project,
  state: Readonly<TaskState>,
  facts: Pick<EnvironmentFacts, "time" | "recentFiles" | "backgroundCommands">,
): Promise<string> {
  const first = state.turn === 0
  const { environment } = settings
  const name = findMode(modes, state.mode)?.name ?? state.mode
  const workspace =
    first && environment.workspaceFiles > 0 ? await listFolder(host.workspace, environment.workspaceFiles, isIgnored) : undefined
  return environmentDetails(
    {
      ...facts,
      mode: { slug: state.mode, name },
      model: state.model,
      ...(state.usage.cost !== undefined && { cost: state.usage.cost }),
      todos: state.todos,
      ...(workspace && { workspace }),
    },
    environment,
    { first },
  )
}
