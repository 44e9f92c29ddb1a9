/** What fills the window of a task's model, read from its log and from what its next request would be made of. Changes nothing. */
import { contextItems } from "../context/context-items.ts"
import { estimateText, estimateTools } from "../context/estimate-tokens.ts"
import { gauge } from "../context/gauge.ts"
import { shareWindow } from "../context/window.ts"
import { condenseSettings } from "../engine/condenser.ts"
import { type Project, requestParts } from "../engine/load-project.ts"
import { joinSections, promptSections } from "../prompt/system.ts"
import { modelFacts, overrideFor } from "../providers/models.ts"
import { foldLog } from "../task/fold.ts"
import { readLog } from "../task/log.ts"
import { taskFiles } from "../task/store.ts"
import type { ContextReport } from "../types/context.ts"

export async function contextReport(home: string, task: string, project: Project): Promise<ContextReport> {
  const { events } = readLog(taskFiles(home, task).log)
  const state = foldLog(events)
  const name = state.model.slice(state.model.indexOf("/") + 1)
  const model = modelFacts(name, overrideFor(project.settings.models, { id: state.model, model: name }))
  const { facts, tools: offered } = await requestParts(project, state.mode, { model, protocol: state.protocol })
  const system = estimateText(joinSections(promptSections(facts)))
  const tools = estimateTools(offered)
  const meter = gauge()
  for (const event of events) meter.see(event)
  const { tokens: used, factor } = meter.measure(state.messages, system + tools)
  const { threshold } = condenseSettings(project.settings, state.model, state.mode)
  const overhead = Math.ceil((system + tools) * factor)
  const { window, reserve, trigger } = shareWindow(model, { overhead, threshold, ceiling: meter.ceiling(state.model) })
  return {
    model: state.model,
    items: contextItems(state, factor),
    system: Math.round(system * factor),
    tools: Math.round(tools * factor),
    used,
    window,
    reserve,
    ...(Number.isFinite(trigger) && { condensesAt: trigger }),
  }
}
