import { describe, expect, it } from "vitest"
import { memoryHost } from "../host/memory.ts"
import type { Json } from "../types/json.ts"
import { callTool } from "./call-tool.ts"
import { updateTodoList } from "./update-todo-list.ts"

const update = (todos: Json) => callTool(updateTodoList, { todos }, memoryHost({}))
const todosOf = async (todos: Json) => (await update(todos)).show

describe("update_todo_list", () => {
  it("S36: reads each marker, with and without a dash", async () => {
    expect(await update("[ ] one\n[-] two\n- [~] three\n- [x] four\n* [X] five")).toEqual({
      say: "List updated: 2 done, 2 in progress, 1 to do.",
      show: {
        kind: "todos",
        todos: [
          { text: "one", status: "pending" },
          { text: "two", status: "in-progress" },
          { text: "three", status: "in-progress" },
          { text: "four", status: "done" },
          { text: "five", status: "done" },
        ],
      },
    })
  })

  it("ignores lines that are no steps, extra blanks and line ends of either kind", async () => {
    expect(await todosOf("Plan:\r\n\r\n  - [ ]   read  \r\n[y] no\r\n[ ]\r\n[x]glued\r\n[x] done\r\n")).toEqual({
      kind: "todos",
      todos: [
        { text: "read", status: "pending" },
        { text: "done", status: "done" },
      ],
    })
  })

  it("empties the list when asked, but not because of a wrong form", async () => {
    expect((await update("")).show).toEqual({ kind: "todos", todos: [] })
    await expect(update("1. read\n2. write")).rejects.toThrow("The list was not changed")
  })

  it("accepts a list of lines", async () => {
    expect(await todosOf(["[ ] one", "[x] two"])).toMatchObject({ todos: [{ text: "one" }, { text: "two" }] })
  })

  it("accepts a list of steps as other agents have it", async () => {
    const steps: Json = [
      { content: "one", status: "completed" },
      { content: "two\nlines", status: "in_progress" },
      { content: "three" },
    ]
    expect(await todosOf(steps)).toEqual({
      kind: "todos",
      todos: [
        { text: "one", status: "done" },
        { text: "two lines", status: "in-progress" },
        { text: "three", status: "pending" },
      ],
    })
  })

  it("stays a list that can be told again and again", async () => {
    await expect(update("[ ] x\n".repeat(101))).rejects.toThrow("The list has 101 steps, at most 100 are kept.")
    expect(await todosOf(`[ ] ${"x".repeat(90_000)}`)).toEqual({
      kind: "todos",
      todos: [{ text: `${"x".repeat(500)}…`, status: "pending" }],
    })
    expect(await todosOf(`[ ] a${" ".repeat(90_000)}`)).toMatchObject({ todos: [{ text: "a" }] })
    await expect(update("\n".repeat(10_000_000))).rejects.toThrow("`todos`: expected a list of steps, one short line each")
  })

  it("S16: refuses anything else", () => {
    expect(updateTodoList.input.check({ todos: 5 })).toEqual({
      ok: false,
      problems: ["`todos`: expected string or array, got number 5"],
    })
    expect(updateTodoList.input.check({})).toMatchObject({ ok: false })
  })

  it("S57: previews the steps that have arrived", () => {
    expect(updateTodoList.preview?.({})).toEqual({ kind: "todos", todos: [] })
    expect(updateTodoList.preview?.({ todos: "[x] one\n[-] tw" })).toEqual({
      kind: "todos",
      todos: [
        { text: "one", status: "done" },
        { text: "tw", status: "in-progress" },
      ],
    })
    const unfinished: object = { todos: ["[ ] a", null, { b: 1 }] }
    expect(updateTodoList.preview?.(unfinished)).toMatchObject({ todos: [{ text: "a" }] })
  })
})
