/**
 * How calls travel in a task (S9), and models that look native though their calls are tags in text (S10): all of a task that is locked to
 * tags, and in any other those that cannot call by themselves, so that one of them can take over in the middle.
 */
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

/** How this model calls in a task with this lock. */
export function spokenWith({ facts }: Model, lock: ToolProtocol): ToolProtocol {
  return facts.nativeTools === false ? "xml" : lock
}

export function speakingModels(models: Models, lock: ToolProtocol): Models {
  const wrapped = new WeakMap<Model, Model>()
  const originals = new WeakMap<Model, Model>()
  function speaking(model: Model): Model {
    const made = wrapped.get(model) ?? speak(model, lock)
    wrapped.set(model, made)
    originals.set(made, model)
    return made
  }
  const speakingOr = (model: Model | undefined) => model && speaking(model)
  const branchOf = (own: Models): Models => ({
    for: (mode) => speaking(own.for(mode)),
    instead: (of, fault, attempt) => speakingOr(own.instead(originals.get(of) ?? of, fault, attempt)),
    choose: (name) => speakingOr(own.choose(name)),
    branch: () => branchOf(own.branch()),
  })
  return branchOf(models)
}

/** What its server says of a model may come late, so each request asks anew. */
function speak(model: Model, lock: ToolProtocol): Model {
  let tagged: Promise<Model> | undefined
  async function* taggedReply(...asked: Parameters<Model["stream"]>): ReturnType<Model["stream"]> {
    tagged ??= taggedModel(model)
    yield* (await tagged).stream(...asked)
  }
  return {
    id: model.id,
    endsSilently: model.endsSilently,
    get facts() {
      return model.facts
    },
    ready: async (signal) => model.ready?.(signal),
    stream: (...asked) => (spokenWith(model, lock) === "xml" ? taggedReply(...asked) : model.stream(...asked)),
  }
}

/** Loaded only where needed. */
async function taggedModel(model: Model): Promise<Model> {
  const [{ taggedText }, { insertCatalogue, taggedTools }] = await Promise.all([
    import("../providers/tagged-text.ts"),
    import("../prompt/tagged-tools.ts"),
  ])
  const names = new Set(toolSummaries.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
  return taggedText(model, { catalogue: taggedTools, insert: insertCatalogue, isKnownTool: (name) => names.has(name) })
}
