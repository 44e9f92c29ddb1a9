/** A task with one model only: it answers in every mode, and nobody takes over. */
import type { Model, Models } from "../types/model.ts"

export function oneModel(model: Model): Models {
  const models: Models = {
    for: () => model,
    instead: () => undefined,
    choose: (name) => (name === model.id ? model : undefined),
    branch: () => models,
  }
  return models
}
