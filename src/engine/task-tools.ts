/** Loads the built-in tools and gives each what it needs of the task. */
import { findMode } from "../modes/groups.ts"
import { expandCommand, findCommand } from "../project/commands.ts"
import { readSkill } from "../project/skills.ts"
import type { PersonPorts } from "../task/task.ts"
import type { ToolPorts } from "../tools/index.ts"
import { type Tool, ToolError } from "../types/tool.ts"
import type { Project } from "./load-project.ts"

export async function loadTools(ports: PersonPorts, project: () => Project): Promise<Tool[]> {
  const { builtInTools } = await import("../tools/index.ts")
  return builtInTools({ ...personTools(ports), ...projectTools(ports, project) })
}

function personTools(ports: PersonPorts): Pick<ToolPorts, "ask" | "complete"> {
  return {
    async ask({ callKey, question, suggestions }) {
      const answer = await ports.ask(`question:${callKey}`, { kind: "followup", callKey, question, suggestions })
      return answer.kind === "words" ? answer.content : [{ type: "text", text: answer.kind === "yes" ? "Yes." : "No." }]
    },
    complete: ({ callKey, result }) => ports.complete(callKey, result),
  }
}

function projectTools(ports: PersonPorts, project: () => Project): Omit<ToolPorts, "ask" | "complete"> {
  function changeMode(slug: string, reason: string): void {
    if (findMode(project().modes, slug) && slug !== ports.mode()) ports.changeMode(slug, reason)
  }
  return {
    async switchMode({ slug, reason }) {
      const { modes } = project()
      if (!findMode(modes, slug)) return { change: "unknown", modes: modes.map((mode) => mode.slug) }
      const from = ports.mode()
      if (slug === from) return { change: "none" }
      changeMode(slug, reason || "chosen by the model")
      return { change: "switched", from, to: slug }
    },
    async readSkill(name) {
      const skills = await project().skills(ports.mode())
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
      const { description, mode } = found
      if (mode) changeMode(mode, `asked for by /${found.name}`)
      return { name: found.name, text: expandCommand(found, args), ...(description && { description }), ...(mode && { mode }) }
    },
  }
}
