/** Slash commands that a front carries out itself: they never reach the model. */
import type { Command } from "../types/task.ts"

export type FrontAction =
  | { kind: "send"; command: Command }
  | { kind: "show"; what: "help" | "status" }
  /** The next words begin another task. */
  | { kind: "new" }
  /** Earlier tasks, to go on with one. */
  | { kind: "tasks" }
  | { kind: "leave" }

export interface FrontCommand {
  name: string
  hint?: string
  description: string
  /** undefined: what stands behind it cannot be used; the hint is shown. */
  act(argument: string): FrontAction | undefined
}

export const frontCommands: readonly FrontCommand[] = [
  { name: "help", description: "What can be typed here", act: () => ({ kind: "show", what: "help" }) },
  { name: "cost", description: "Tokens and cost of this task", act: () => ({ kind: "show", what: "status" }) },
  { name: "status", description: "Mode, model, tokens and cost", act: () => ({ kind: "show", what: "status" }) },
  {
    name: "mode",
    hint: "SLUG",
    description: "Go on in another mode",
    act: (mode) => (mode ? { kind: "send", command: { type: "set-mode", mode } } : undefined),
  },
  {
    name: "model",
    hint: "PROFILE",
    description: "Go on with another model",
    act: (model) => (model ? { kind: "send", command: { type: "set-model", model } } : undefined),
  },
  {
    name: "stop",
    description: "Stop what runs; the task can go on later",
    act: () => ({ kind: "send", command: { type: "cancel" } }),
  },
  { name: "new", description: "Begin another task with the next words", act: () => ({ kind: "new" }) },
  { name: "resume", description: "Go on with an earlier task", act: () => ({ kind: "tasks" }) },
  { name: "continue", description: "Go on without new words", act: () => ({ kind: "send", command: { type: "continue" } }) },
  { name: "quit", description: "Leave; the task keeps its place", act: () => ({ kind: "leave" }) },
]

/** undefined when the words are for the task: a command of the project wins over nothing here, and has its own name. */
export function readFrontCommand(words: string): { command: FrontCommand; action: FrontAction | undefined } | undefined {
  const [, name, argument = ""] = /^\/([a-z]+)(?:\s+(\S.*))?$/.exec(words.trim()) ?? []
  const command = frontCommands.find((one) => one.name === name)
  return command && { command, action: command.act(argument.trim()) }
}
