/** How calls travel in a task (S9), and models that look native though their calls are tags in text (S10). Loaded only where needed. */
import { insertCatalogue, taggedTools } from "../prompt/tagged-tools.ts"
import type { Recorded } from "../types/event.ts"
import type { Model, Models, ToolProtocol } from "../types/model.ts"
import type { Settings } from "../types/settings.ts"
import { toolSummaries } from "./load-project.ts"

/** The task's first event holds the lock; a new one follows the settings, then what the model can do. */
export async function protocolOf(
  events: readonly Recorded[],
  { facts }: Model,
  setting: Settings["toolProtocol"],
): Promise<ToolProtocol> {
  const [first] = events
  const locked = first?.type === "task-started" ? first.protocol : setting === "auto" ? undefined : setting
  if (locked === "native" || (locked === undefined && facts.nativeTools !== false)) return "native"
  const { resolveToolProtocol } = await import("../providers/tagged-text.ts")
  return resolveToolProtocol({ locked, model: facts })
}

export async function taggedModels(models: Models): Promise<Models> {
  const { taggedText } = await import("../providers/tagged-text.ts")
  const names = new Set(toolSummaries.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
  const wrapped = new WeakMap<Model, Model>()
  const originals = new WeakMap<Model, Model>()
  function tagged(model: Model): Model {
    const known = wrapped.get(model)
    if (known) return known
    const made = taggedText(model, { catalogue: taggedTools, insert: insertCatalogue, isKnownTool: (name) => names.has(name) })
    wrapped.set(model, made)
    originals.set(made, model)
    return made
  }
  const taggedOr = (model: Model | undefined) => model && tagged(model)
  return {
    for: (mode) => tagged(models.for(mode)),
    instead: (of, fault, attempt) => taggedOr(models.instead(originals.get(of) ?? of, fault, attempt)),
    choose: (name) => taggedOr(models.choose(name)),
  }
}
