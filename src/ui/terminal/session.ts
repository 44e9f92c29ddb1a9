/** Everything the front knows at a moment. Keys and events change it (`press.ts`, `follow.ts`), `compose.ts` draws it. */

import type { ContextReport } from "../../types/context.ts"
import type { JsonObject } from "../../types/json.ts"
import type { Task } from "../../types/task.ts"
import { type Editor, emptyEditor } from "./editor.ts"
import type { FuzzyIndex } from "./fuzzy.ts"
import { type History, historyOf } from "./history.ts"
import type { TerminalOptions } from "./options.ts"
import type { Pager } from "./pager.ts"
import type { Panel } from "./panel.ts"
import type { Picker } from "./picker.ts"
import type { Screen } from "./screen.ts"
import type { Suggestions } from "./suggest.ts"
import { type Painter, painter } from "./theme.ts"
import { openTranscript, type Transcript } from "./transcript.ts"

export interface Session {
  readonly options: TerminalOptions
  readonly paint: Painter
  readonly now: () => number
  screen: Screen
  transcript: Transcript
  task: Task | undefined
  /** The task that is being made for the first words. */
  opening: Promise<Task> | undefined
  /** For the task to come. */
  chosen: { mode?: string; model?: string }
  /** Since when the task works. */
  workingSince: number | undefined
  editor: Editor
  history: History
  panel: Panel | undefined
  /** Keys go to the panel, not to the editor. */
  isOnPanel: boolean
  /** Keys before this moment were meant for something else. */
  panelFrom: number
  /** Its body is in the scrollback. */
  isBodyPrinted: boolean
  picking: { picker: Picker; then(value: string): void } | undefined
  suggestions: Suggestions | undefined
  /** The editor's text for which suggestions were sent away. */
  dismissed: string | undefined
  files: FuzzyIndex | "loading" | undefined
  pager: Pager | undefined
  /** A line of the person's own that runs. */
  shell: { line: string; tail: string; stop: AbortController } | undefined
  /** What such lines printed, for the next words. */
  notes: readonly string[]
  /** As the person last saw it: the numbers they type are those of this list. */
  context?: { task: string; report: ContextReport } | undefined
  /** Arguments of calls that are not settled yet, by `keyIn`. */
  inputs: Map<string, JsonObject>
  /** One line that goes with the next key. */
  hint: string | undefined
  isFocused: boolean | undefined
  lastKeyAt: number
  /** Ctrl-C was pressed: once more leaves. */
  isLeaving: boolean
  leave(code: number): void
  editOutside(text: string): string | undefined
}

export interface SessionParts {
  options: TerminalOptions
  colour: boolean
  screen: Screen
  leave(code: number): void
  editOutside(text: string): string | undefined
}

export function newSession({ options, colour, screen, leave, editOutside }: SessionParts): Session {
  return {
    options,
    paint: painter(colour),
    now: options.now ?? Date.now,
    screen,
    transcript: openTranscript(() => textWidth(options.stdout.columns)),
    task: undefined,
    opening: undefined,
    chosen: {},
    workingSince: undefined,
    editor: emptyEditor,
    history: historyOf(options.history?.entries ?? []),
    panel: undefined,
    isOnPanel: false,
    panelFrom: 0,
    isBodyPrinted: false,
    picking: undefined,
    suggestions: undefined,
    dismissed: undefined,
    files: undefined,
    pager: undefined,
    shell: undefined,
    notes: [],
    inputs: new Map(),
    hint: undefined,
    isFocused: undefined,
    lastKeyAt: 0,
    isLeaving: false,
    leave,
    editOutside,
  }
}

const WIDEST_TEXT = 120

/** Lines of prose longer than this are hard to read; the last column stays free. */
export function textWidth(columns: number | undefined): number {
  return Math.max(20, Math.min(WIDEST_TEXT, (columns || 80) - 1))
}

/** Of everything that is drawn live. */
export function liveWidth({ options }: Session): number {
  return Math.max(20, (options.stdout.columns || 80) - 1)
}

export function isWorking({ workingSince }: Session): boolean {
  return workingSince !== undefined
}

/** In which mode, with which model: as the task says, or as it will be. */
export function whoOf({ transcript, chosen, options, task }: Session): { mode: string; model: string } {
  const { mode, model } = transcript.view.status
  const { facts } = options
  return { mode: (task && mode) || chosen.mode || facts.mode, model: (task && model) || chosen.model || facts.model }
}

/** Too low for a line per choice. */
export function isSmall({ options }: Session): boolean {
  return (options.stdout.rows || 24) < 16
}
