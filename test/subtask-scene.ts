/** Tasks with subtasks over a scripted model on a real port: each is known by the first words it was given, and has its own script. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished } from "vitest"
import { createTask, type TaskOptions } from "../src/engine/create-task.ts"
import { chooseModel, connectModel } from "../src/providers/connect.ts"
import { type ChatRequest, repliesSoFar, textOf } from "../src/scripted-model/chat-request.ts"
import { call, type Reply, reply } from "../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../src/scripted-model/server.ts"
import { readLog } from "../src/task/log.ts"
import { taskFiles, taskIds } from "../src/task/store.ts"
import type { Recorded, TaskEvent } from "../src/types/event.ts"
import type { Answer, Question } from "../src/types/question.ts"
import type { Task } from "../src/types/task.ts"
import { innermost } from "../src/view/subtasks.ts"

/** By the first word of what each task was told: what it replies, turn by turn. */
export type Scripts = Record<string, (Reply | ((request: ChatRequest) => Reply))[]>

export const done = (result: string): Reply => reply(call("attempt_completion", { result }))
export const delegate = (message: string, mode = "code") => call("new_task", { mode, message })

export interface Scene {
  home: string
  workspace: string
  requests: readonly ChatRequest[]
  open(options?: Partial<TaskOptions>): Promise<Task>
  /** Says the words, answers what is asked, and gives everything that was told until the end. */
  run(task: Task, words?: string, answer?: (question: Question, task?: string) => Answer | undefined): Promise<TaskEvent[]>
  logOf(task: string): Recorded[]
  tasks(): string[]
}

export async function subtaskScene(scripts: Scripts, files: Record<string, string> = {}): Promise<Scene> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "joey-subtasks-")))
  const home = join(folder, "home")
  const workspace = join(folder, "workspace")
  mkdirSync(workspace)
  for (const [path, text] of Object.entries(files)) writeFileSync(join(workspace, path), text)
  const requests: ChatRequest[] = []
  const model = await startScriptedModel((request) => {
    requests.push(request)
    const [name = ""] = textOf(request.messages[1]).split(/\W/)
    const next = scripts[name]?.[repliesSoFar(request)]
    if (!next) throw new Error(`Nothing is left to say to ${name}.`)
    return typeof next === "function" ? next(request) : next
  })
  onTestFinished(async () => {
    await model.close()
    rmSync(folder, { recursive: true, force: true })
    expect(model.problems, "requests the model was sent").toEqual([])
  })
  const chosen = chooseModel({ baseUrl: model.url, model: "m" }, {})
  if (!chosen.ok) throw new Error(chosen.problem)
  const { target } = chosen
  return {
    home,
    workspace,
    requests,
    async open(options = {}) {
      const settings = { approval: "yes" } as const
      const task = await createTask({ workspace, home, model: connectModel(target), settings, ...options })
      onTestFinished(() => task.close())
      return task
    },
    async run(task, words, answer = () => ({ kind: "yes" })) {
      const told: TaskEvent[] = []
      const heard = follow(task, told, answer)
      task.send(words === undefined ? { type: "continue" } : { type: "say", content: [{ type: "text", text: words }] })
      await heard
      return told
    },
    logOf: (task) => readLog(taskFiles(home, task).log).events,
    tasks: () => taskIds(home),
  }
}

async function follow(
  task: Task,
  told: TaskEvent[],
  answer: (question: Question, task?: string) => Answer | undefined,
): Promise<void> {
  for await (const event of task.events(task.openedAt)) {
    told.push(event)
    const { event: inner, task: asking } = innermost(event)
    if (inner.type === "asked") {
      const given = answer(inner.question, asking)
      if (given) task.send({ type: "answer", question: inner.id, answer: given, by: "test", ...(asking && { task: asking }) })
    }
    if (event.type === "task-finished") return
  }
}
