/** The engine as a library: create a task, send it commands, read its events. */
export { createTask, type TaskOptions } from "./engine/create-task.ts"
export { type ModelOptions, openModel } from "./engine/open-model.ts"
export type { Hook } from "./hooks/hook.ts"
export type { DurableEvent, Ending, LiveEvent, TaskEvent } from "./types/event.ts"
export type { Content } from "./types/message.ts"
export type { Model, Models } from "./types/model.ts"
export type { Answer, Question } from "./types/question.ts"
export type { Command, Task } from "./types/task.ts"
