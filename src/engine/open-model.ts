/** A model for an embedder: named as on the command line, or any server's. */
import { chooseModel, connectModel } from "../providers/connect.ts"
import type { Model } from "../types/model.ts"

export interface ModelOptions {
  /** `vendor/name`; with a base URL any name, sent as it is. */
  model?: string
  baseUrl?: string
  /** How to talk to it, where the vendor does not say. */
  wire?: string
  /** Default: the vendor's usual environment variable. */
  apiKey?: string
}

/** Throws with one line that says what is wrong and what to do. */
export function openModel({ apiKey, ...choice }: ModelOptions, env: NodeJS.ProcessEnv = process.env): Model {
  const key = apiKey === undefined ? undefined : { value: apiKey, variable: "apiKey" }
  const chosen = chooseModel({ ...choice, ...(key && { key }) }, env)
  if (!chosen.ok) throw new Error(chosen.problem)
  return connectModel(chosen.target)
}
