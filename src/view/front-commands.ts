/** Slash commands that a front carries out itself: they never reach the model. */
import type { Command } from "../types/task.ts"

export type FrontAction =
  | { kind: "send"; command: Command }
  | { kind: "show"; what: "help" | "status" }
  /** The next words begin another task. */
  | { kind: "new" }
  /** Earlier tasks, to go on with one. */
  | { kind: "tasks" }
  /** The person's messages, to go back to before one: the one with this number, or to choose from. */
  | { kind: "rewind"; number?: number }
  /** What fills the model's window. */
  | { kind: "context" }
  /** An item of that list, by its number. */
  | { kind: "item"; number: number; act: ItemAct }
  /** One subtask, with everything below it: by its number, or to choose from. */
  | { kind: "cancel"; number?: number }
  | { kind: "tell"; number: number; words: string }
  /** A copy of the task that goes on by itself: as it is, or as it was before a message. */
  | { kind: "fork"; number?: number }
  /** What was done to files, to go back to before one of it. */
  | { kind: "checkpoints"; number?: number }
  /** Servers of other people's tools. */
  | { kind: "servers"; restart?: string }
  | { kind: "leave" }

export type ItemAct = "pin" | "unpin" | "drop"

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
  {
    name: "cancel",
    hint: "N",
    description: "Stop one subtask; the task goes on without it",
    act: (number) => ({ kind: "cancel", ...numbered(number) }),
  },
  { name: "tell", hint: "N WORDS", description: "Say something to one subtask", act: tellAction },
  { name: "context", description: "What fills the model's window, item by item", act: () => ({ kind: "context" }) },
  itemCommand("pin", "Keep an item of /context as it is when the past is shortened"),
  itemCommand("unpin", "Let go of a pinned item again"),
  itemCommand("drop", "Take an item of /context out of what the model sees"),
  {
    name: "condense",
    description: "Shorten the past before the next request",
    act: () => ({ kind: "send", command: { type: "condense" } }),
  },
  { name: "new", description: "Begin another task with the next words", act: () => ({ kind: "new" }) },
  { name: "resume", description: "Go on with an earlier task", act: () => ({ kind: "tasks" }) },
  {
    name: "rewind",
    hint: "N",
    description: "Go back to before one of your messages, and say it otherwise",
    act: (number) => ({ kind: "rewind", ...numbered(number) }),
  },
  {
    name: "fork",
    hint: "N",
    description: "Go on with a copy, as it is or as it was before one of your messages",
    act: (number) => ({ kind: "fork", ...numbered(number) }),
  },
  {
    name: "checkpoints",
    hint: "N",
    description: "What was done to files; look at it, undo it",
    act: (number) => ({ kind: "checkpoints", ...numbered(number) }),
  },
  { name: "mcp", hint: "restart NAME", description: "Servers, their state and tools", act: serverAction },
  { name: "continue", description: "Go on without new words", act: () => ({ kind: "send", command: { type: "continue" } }) },
  { name: "quit", description: "Leave; the task keeps its place", act: () => ({ kind: "leave" }) },
]

const NUMBER = /^[1-9]\d{0,6}$/

function numbered(text: string): { number?: number } {
  return NUMBER.test(text) ? { number: Number(text) } : {}
}

function tellAction(argument: string): FrontAction | undefined {
  const [, number = "", words = ""] = /^(\d+)\s+(\S[\s\S]*)$/.exec(argument) ?? []
  return NUMBER.test(number) ? { kind: "tell", number: Number(number), words } : undefined
}

function serverAction(argument: string): FrontAction | undefined {
  if (argument === "") return { kind: "servers" }
  const [, restart] = /^restart\s+(\S+)$/.exec(argument) ?? []
  return restart === undefined ? undefined : { kind: "servers", restart }
}

function itemCommand(name: ItemAct, description: string): FrontCommand {
  const act = (argument: string): FrontAction | undefined =>
    NUMBER.test(argument) ? { kind: "item", number: Number(argument), act: name } : undefined
  return { name, hint: "N", description, act }
}

/** undefined when the words are for the task: a command of the project wins over nothing here, and has its own name. */
export function readFrontCommand(words: string): { command: FrontCommand; action: FrontAction | undefined } | undefined {
  const [, name, argument = ""] = /^\/([a-z]+)(?:\s+(\S[\s\S]*))?$/.exec(words.trim()) ?? []
  if (argument.includes("\n") && name !== "tell") return undefined
  const command = frontCommands.find((one) => one.name === name)
  return command && { command, action: command.act(argument.trim()) }
}
