/** What each key does, by who has the keys: a pager, a list, the question, suggestions, the editor. */

import { frontCommands } from "../../view/front-commands.ts"
import { nextMode, stop, submit } from "./act.ts"
import { type Editor, editorWith, emptyEditor, insert, moveRow, pressed, wholeText } from "./editor.ts"
import { putQuestion, showQuestion, takeBack } from "./follow.ts"
import { fuzzyIndex } from "./fuzzy.ts"
import { step } from "./history.ts"
import { type Key, key as keyOf } from "./keys.ts"
import { look, paintPager } from "./look.ts"
import { LEAVE, pressPager } from "./pager.ts"
import { answerWith, chooseWritten, isAbout, isWritten, type Outcome, type Panel, pressPanel } from "./panel.ts"
import { pick } from "./picker.ts"
import { isWorking, liveWidth, type Session } from "./session.ts"
import { accept, commandChoices, fileChoices, wantedAt } from "./suggest.ts"

export function press(session: Session, key: Key): void {
  if (key.name === "focus" || key.name === "blur") session.isFocused = key.name === "focus"
  else if (session.pager && key.name === "text") for (const text of key.text) inPager(session, { ...key, text })
  else if (session.pager) inPager(session, key)
  else {
    session.lastKeyAt = session.now()
    session.hint = undefined
    const isLeaving = session.isLeaving
    session.isLeaving = false
    if (key.ctrl && key.name === "c") interrupt(session, isLeaving)
    else if (session.picking) inPicker(session, key)
    else if (key.ctrl && key.name === "o") look(session, session.transcript.whole(liveWidth(session)))
    else if (!inPanel(session, key) && !inSuggestions(session, key)) inEditor(session, key)
    session.suggestions = session.picking || session.isLeaving ? undefined : suggest(session)
    session.screen.touch()
  }
}

/** First what is being written goes, then the work stops, then Joey is left. */
function interrupt(session: Session, isLeaving: boolean): void {
  session.isLeaving = true
  session.hint = "ctrl-c once more leaves; the task keeps its place"
  if (isLeaving) session.leave(0)
  else if (session.picking) session.picking = undefined
  else if (session.editor.text !== "") session.editor = emptyEditor
  else stop(session)
}

function inPicker(session: Session, key: Key): void {
  const { picking } = session
  if (!picking) return
  const picked = pick(picking.picker, key)
  session.picking = picked.kind === "open" ? { ...picking, picker: picked.picker } : undefined
  if (picked.kind === "chosen") picking.then(picked.value)
}

/** True when the key was for the question. */
function inPanel(session: Session, key: Key): boolean {
  const { panel } = session
  if (!panel) return false
  if (key.name === "tab" && !key.shift && panel.stage.kind === "choose" && !session.suggestions) return turnTo(session)
  if (key.name === "escape" && (panel.stage.kind === "words" || panel.stage.kind === "edit")) return reopen(session, panel)
  if (isWritten(panel)) return inWritten(session, key)
  if (!session.isOnPanel) return false
  const isTooSoon = session.now() < session.panelFrom && panel.stage.kind === "choose"
  const isWords = key.name === "paste" || (key.name === "text" && (isTooSoon || key.text.length > 1 || key.text === "/"))
  if (isWords) session.isOnPanel = false // somebody is in the middle of writing: their words are words
  if (isWords || isTooSoon) return false
  return settle(session, pressPanel(panel, key))
}

/** Between what is written and the question, and from one question to the next. */
function turnTo(session: Session): boolean {
  const { panel, transcript } = session
  if (!panel) return false
  const { pending } = transcript.view
  if (!session.isOnPanel && !isWritten(panel)) session.isOnPanel = true
  else if (pending.length > 1) {
    const at = pending.findIndex((open) => isAbout(panel, open))
    const next = pending[(at + 1) % pending.length]
    if (next) putQuestion(session, next)
  } else if (!isWritten(panel)) session.isOnPanel = false
  session.panelFrom = 0
  return true
}

function reopen(session: Session, { id, question, task }: Panel): boolean {
  session.editor = emptyEditor
  putQuestion(session, { id, question, ...(task !== undefined && { task }) })
  session.panelFrom = 0
  return true
}

/** The editor has the keys, except for choosing and handing over. */
function inWritten(session: Session, key: Key): boolean {
  const { panel, editor } = session
  if (!panel) return false
  const isEmpty = editor.text === ""
  if (isEmpty && panel.stage.kind === "choose" && (key.name === "up" || key.name === "down"))
    return settle(session, pressPanel(panel, key))
  if (key.name !== "enter" || key.shift || key.alt || session.suggestions || isContinued(editor)) return false
  const text = wholeText(editor).trim()
  if (text.startsWith("/") && frontCommands.some(({ name }) => text.slice(1).split(" ")[0] === name)) return false
  if (session.now() < session.panelFrom) return isEmpty // words that were on their way are words for the task
  if (isEmpty) return settle(session, chooseWritten(panel))
  const outcome = answerWith(panel, text)
  if (outcome.kind === "answer") session.editor = emptyEditor
  return settle(session, outcome)
}

function settle(session: Session, outcome: Outcome): boolean {
  if (outcome.kind === "pass") return false
  const { panel, task } = session
  if (outcome.kind === "open") {
    session.panel = outcome.panel
    if (outcome.editor) session.editor = outcome.editor
    session.isOnPanel = !isWritten(outcome.panel)
    return true
  }
  if (!panel) return true
  const whom = panel.task === undefined ? {} : { task: panel.task }
  if (outcome.mode && panel.task === undefined) task?.send({ type: "set-mode", mode: outcome.mode }) // a subtask keeps its own
  task?.send({ type: "answer", question: panel.id, answer: outcome.answer, by: "terminal", ...whom })
  showQuestion(session)
  return true
}

function inSuggestions(session: Session, key: Key): boolean {
  const { suggestions, editor } = session
  if (!suggestions || suggestions.choices.length === 0) return false
  const { choices, at } = suggestions
  if (key.name === "up" || key.name === "down") {
    const next = (at + (key.name === "up" ? -1 : 1) + choices.length) % choices.length
    session.suggestions = { ...suggestions, at: next }
    return true
  }
  if (key.name === "escape") {
    session.dismissed = editor.text
    return true
  }
  const chosen = choices[at]
  if ((key.name !== "tab" && key.name !== "enter") || key.shift || !chosen) return false
  const isTyped = suggestions.kind === "command" && editor.text.trim() === chosen.value
  session.editor = accept(editor, suggestions, chosen.value)
  if (key.name === "enter" && (isTyped || suggestions.kind === "command")) submit(session)
  return true
}

/** What can be offered for what stands before the cursor. */
function suggest(session: Session): Session["suggestions"] {
  const { editor, panel, suggestions: before } = session
  const wanted = editor.text === session.dismissed || panel?.stage.kind === "edit" ? undefined : wantedAt(editor)
  if (editor.text !== session.dismissed) session.dismissed = undefined
  if (!wanted) return undefined
  if (before?.kind === wanted.kind && before.query === wanted.query && before.choices.length > 0) return { ...before, ...wanted }
  if (wanted.kind === "command") return { ...wanted, choices: commandChoices(commandsOf(session), wanted.query), at: 0 }
  if (session.files === undefined) void loadFiles(session)
  const choices = typeof session.files === "object" ? fileChoices(session.files, wanted.query) : []
  return { ...wanted, choices, at: 0 }
}

function commandsOf({ options }: Session): { value: string; label: string; detail?: string }[] {
  const own = frontCommands.map(({ name, hint, description }) => ({
    value: `/${name}`,
    label: `/${name}`,
    detail: hint ? `${description} (${hint})` : description,
  }))
  const theirs = options.facts.commands.map(({ name, description }) => ({
    value: `/${name}`,
    label: `/${name}`,
    ...(description && { detail: description }),
  }))
  return [...own, ...theirs]
}

async function loadFiles(session: Session): Promise<void> {
  session.files = "loading"
  const files = await session.options.facts.files().catch(() => [])
  session.files = fuzzyIndex(files)
  session.suggestions = suggest(session)
  session.screen.touch()
}

function isContinued({ text, cursor }: Editor): boolean {
  return text[cursor - 1] === "\\" && text[cursor - 2] !== "\\"
}

function inEditor(session: Session, key: Key): void {
  const { editor } = session
  const { name, ctrl, shift } = key
  if (name === "escape") stopOrHint(session)
  else if (name === "tab" && shift) nextMode(session)
  else if (name === "tab" && isWorking(session)) submit(session, { later: true })
  else if (name === "enter" && !shift && !key.alt) {
    if (isContinued(editor)) session.editor = insert(pressed(editor, keyOf("backspace")) ?? editor, "\n")
    else submit(session)
  } else if (name === "up" || name === "down") upOrDown(session, name === "up" ? -1 : 1)
  else if (ctrl && name === "d" && editor.text === "") leaveAtRest(session)
  else if (ctrl && name === "g") editOutside(session)
  else if (ctrl && name === "l") session.screen.refresh()
  else session.editor = pressed(editor, key) ?? editor
}

function leaveAtRest(session: Session): void {
  if (isWorking(session)) session.hint = "Joey works: esc stops, ctrl-c twice leaves"
  else session.leave(0)
}

function stopOrHint(session: Session): void {
  if (isWorking(session) || session.shell) stop(session)
  else if (session.editor.text !== "") session.hint = "ctrl-c clears what you wrote"
}

/** Within the text, then to words that wait, then through what was said before. */
function upOrDown(session: Session, by: -1 | 1): void {
  const { editor, history } = session
  const moved = moveRow(editor, liveWidth(session) - 2, by)
  if (moved) {
    session.editor = moved
    return
  }
  const words = by === -1 && editor.text === "" ? takeBack(session, "last") : undefined
  if (words !== undefined) {
    session.editor = editorWith(words)
    return
  }
  const stepped = step(history, editor, by)
  if (!stepped) return
  session.history = stepped.history
  session.editor = stepped.editor
}

function editOutside(session: Session): void {
  const text = session.editOutside(wholeText(session.editor))
  if (text !== undefined) session.editor = editorWith(text.replace(/\n$/, ""))
}

function inPager(session: Session, key: Key): void {
  const { options } = session
  session.pager = session.pager && pressPager(session.pager, key, options.stdout.rows)
  if (session.pager) paintPager(session)
  else {
    options.stdout.write(LEAVE)
    session.screen.resume()
  }
}
