/** Loads the built-in tools and gives each what it needs of the task. */
import { findMode, offersGroup, pathBarred } from "../modes/groups.ts"
import { followupAnswer } from "../policy/followup.ts"
import { expandCommand, findCommand } from "../project/commands.ts"
import { readSkill } from "../project/skills.ts"
import type { PersonPorts } from "../task/open.ts"
import type { ToolPorts } from "../tools/index.ts"
import { commandLimit } from "../tools/job-words.ts"
import type { Host } from "../types/host.ts"
import type { Jobs } from "../types/job.ts"
import type { ResourcePort, ToolFinderPort } from "../types/mcp.ts"
import type { ModelFacts } from "../types/model.ts"
import type { Answer, Question } from "../types/question.ts"
import type { SubtaskPort } from "../types/subtask.ts"
import { type Tool, ToolError } from "../types/tool.ts"
import type { WebPort } from "../types/web.ts"
import { lateBrowser, lateCodeSearch, lateImages } from "./late-ports.ts"
import type { Project } from "./load-project.ts"

export interface TaskToolParts {
  ports: PersonPorts
  project(): Project
  jobs: Jobs
  subtasks: SubtaskPort
  servers: ResourcePort & ToolFinderPort
  model(mode: string): ModelFacts
  /** Guarded: what is kept from the model is not indexed. */
  host: Host
  withheld: readonly string[]
  onClose(close: () => Promise<void> | void): void
}

export async function loadTools(parts: TaskToolParts): Promise<Tool[]> {
  const { ports, project, jobs, subtasks, servers, model } = parts
  const { builtInTools } = await import("../tools/index.ts")
  const { readFile } = project().settings
  const images = () => model(ports.mode()).images
  return builtInTools({
    ...personTools(ports, project),
    ...projectTools(ports, project),
    jobs,
    subtasks,
    servers,
    commandLimit: (line) => commandLimit(line, project().settings),
    web: { fetchPage: async (url, options) => (await webPort(project())).fetchPage(url, options) },
    browser: { ...lateBrowser(parts), images, barred: (path) => editBarred(project(), ports.mode(), path) },
    codeSearch: lateCodeSearch(parts),
    images: { ...lateImages(project), seen: images },
    readFile: { ...readFile, images: images() },
  })
}

/** Loaded with the first page. */
async function webPort({ settings: { webFetch, caFile }, sources: { env } }: Project): Promise<WebPort> {
  const [{ webPages }, { throughProxies }] = await Promise.all([import("../host/web.ts"), import("./web-proxy.ts")])
  return webPages({ ...webFetch, through: throughProxies(env, caFile || env["SSL_CERT_FILE"]) })
}

/** Why a picture may not be kept at this path in this mode. */
function editBarred({ modes }: Project, slug: string, path: string): string | undefined {
  const mode = findMode(modes, slug)
  return mode && offersGroup(mode, "edit") ? pathBarred(mode, "edit", path) : `${slug} mode does not change files.`
}

function personTools(ports: PersonPorts, project: () => Project): Pick<ToolPorts, "ask" | "complete"> {
  return {
    async ask({ callKey, question, suggestions }) {
      const id = `question:${callKey}`
      const asked: Question & { kind: "followup" } = { kind: "followup", callKey, question, suggestions }
      const late = followupAnswer(project().settings.autoApprove, asked)
      if (late) asked.answersAt = new Date(Date.now() + late.afterMs).toISOString()
      const timer = late && setTimeout(() => ports.answer(id, inWords(late.suggestion.text), "nobody, in time"), late.afterMs)
      const answer = await ports.ask(id, asked).finally(() => clearTimeout(timer))
      return answer.kind === "words" ? answer.content : [{ type: "text", text: answer.kind === "yes" ? "Yes." : "No." }]
    },
    complete({ callKey, result }) {
      const { approval, autoApprove } = project().settings
      const isAllowed = ports.state().parent !== undefined && (autoApprove.subtasks || approval === "yes")
      return ports.complete(callKey, result, isAllowed ? "nobody: subtasks are allowed" : undefined)
    },
  }
}

function projectTools(ports: PersonPorts, project: () => Project): Pick<ToolPorts, "switchMode" | "readSkill" | "expandCommand"> {
  return {
    async switchMode({ slug, reason }) {
      const { modes } = project()
      if (!findMode(modes, slug)) return { change: "unknown", modes: modes.map((mode) => mode.slug) }
      const from = ports.mode()
      if (slug === from) return { change: "none" }
      ports.changeMode(slug, reason || "chosen by the model")
      return { change: "switched", from, to: slug }
    },
    async readSkill(name) {
      const { skills } = await project().skills(ports.mode())
      const found = skills.find((skill) => skill.name === name)
      if (!found) return { available: skills.map((skill) => skill.name) }
      const read = await readSkill(found)
      if ("problem" in read) throw new ToolError(`The skill ${name} cannot be read: ${read.problem}`)
      return { name, description: found.description, folder: found.folder, ...read }
    },
    async expandCommand(name, args) {
      const { commands } = project()
      const found = findCommand(commands, name)
      if (!found) return { available: commands.map((command) => command.name) }
      const { description } = found
      const mode = found.mode !== ports.mode() && found.mode && findMode(project().modes, found.mode)?.slug
      return { name: found.name, text: expandCommand(found, args), ...(description && { description }), ...(mode && { mode }) }
    },
  }
}

function inWords(text: string): Answer {
  return { kind: "words", content: [{ type: "text", text }] }
}
