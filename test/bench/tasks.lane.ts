/** Ways to list and search many tasks, beside the least that looking at them can cost. */
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { listTasks } from "../../src/task/task-list.ts"
import { type Job, serveLane } from "./lane-process.ts"
import { RARE } from "./make-tasks.ts"

export interface TasksCell {
  home: string
  tasks: number
}

function logs(home: string): string[] {
  return readdirSync(join(home, "tasks")).map((id) => join(home, "tasks", id, "log.jsonl"))
}

function asked(options: Parameters<typeof listTasks>[1], check: (found: number, cell: TasksCell) => boolean): Job<TasksCell> {
  return (cell) => async () => {
    const { tasks, more } = await listTasks(cell.home, { most: 25, ...options })
    if (!check(tasks.length + more, cell)) throw new Error(`found ${tasks.length + more} tasks`)
  }
}

const all = (found: number, { tasks }: TasksCell) => found === tasks
const hundredth = (found: number, { tasks }: TasksCell) => found === Math.ceil(tasks / 100)

serveLane<TasksCell>({
  "look at each":
    ({ home }) =>
    () =>
      logs(home).reduce((sum, log) => sum + statSync(log).size, 0),
  "read and parse each":
    ({ home }) =>
    () => {
      for (const log of logs(home)) for (const line of readFileSync(log, "utf8").trimEnd().split("\n")) JSON.parse(line)
    },
  list: asked({}, all),
  search: asked({ words: [RARE] }, hundredth),
  "search, all hold it": asked({ words: ["tell", "changed"] }, all),
  "list without the cache": asked({ cached: false }, all),
  "search without the cache": asked({ words: [RARE], cached: false }, hundredth),
  "make the cache": ({ home, ...cell }) => {
    const list = asked({}, all)({ home, ...cell })
    return () => {
      for (const ending of ["", "-wal", "-shm"]) rmSync(join(home, `tasks.sqlite${ending}`), { force: true })
      return list()
    }
  },
})
