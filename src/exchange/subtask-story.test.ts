/** Subtasks in what is exported: each tells its own story inside the call it answers, once, whatever the logs say. */
import { describe, expect, it } from "vitest"
import { ATTACK } from "../../test/hostile-task.ts"
import { CHROMIUM, inBrowser } from "../../test/in-browser.ts"
import { finished, type Made, part, ran, recorded, replied, said, started, turn } from "../../test/sample-task.ts"
import { LogError } from "../task/log.ts"
import type { DurableEvent } from "../types/event.ts"
import { type ExportFormat, exportTask, type ReadableLog } from "./export-task.ts"

const SPENT = { inputTokens: 500, outputTokens: 50, cost: 0.5 }
const edit = (path: string): Made => ({
  key: "1.1",
  name: "jot",
  show: { kind: "diff", path, operation: "modify", unified: "@@ -1 +1 @@\n-a\n+b\n", added: 1, removed: 1 },
})

function below(task: string, ...events: DurableEvent[]): ReadableLog {
  const start = { ...started(task), parent: { task: "above", callKey: "1.1" } } as DurableEvent
  return { events: recorded([start, ...events]) }
}

/** A turn that hands its work to another task. */
function delegating(task: string, message: string): DurableEvent[] {
  const made: Made = { key: "1.1", name: "new_task", input: { message }, says: `result of ${task}` }
  const [begun, ended] = ran({ ...made, show: { kind: "subtask", mode: "code", message, task, ending: "accepted" } })
  return [
    ...replied(1, [part(made)]),
    ...(begun ? [begun] : []),
    { type: "subtask-started", callKey: "1.1", task, mode: "code", message },
    ...(ended?.type === "call-finished" ? [{ ...ended, spent: { usage: SPENT, tools: {} } }] : []),
  ]
}

const LOGS: Record<string, ReadableLog> = {
  child: below("child", said("do the half of it"), ...delegating("grandchild", "do a quarter"), finished("half", SPENT)),
  grandchild: below("grandchild", said("do a quarter"), ...turn(1, "I dig.", edit("deep.ts")), finished("quarter", SPENT)),
}
const top: ReadableLog = {
  events: recorded([started(), said("do it"), ...delegating("child", "do the half of it"), finished("all", SPENT)]),
}

function exported(format: ExportFormat, log = top, logs = LOGS): string {
  const subtaskLog = (task: string) => {
    const found = logs[task]
    if (!found) throw new LogError("Its log is not there.")
    return found
  }
  return exportTask(log, format, { subtaskLog })
}

describe("a task with subtasks", () => {
  it("as a page has their stories inside the calls, with anchors of their own", () => {
    const page = exported("html")
    expect(page).toMatch(/<summary>What it did <span class="dim">child, mode code · 1 turn · 1 call · .*Done: the result was/)
    expect(page).toMatch(/Handed over .*do the half of it.*Handed over .*do a quarter.*I dig\./s)
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toEqual(["call-1.1", "call-child-1.1", "call-grandchild-1.1"])
    expect(page).toContain('<a href="#call-grandchild-1.1">deep.ts</a>')
    expect(page).toContain("<tr><td>1.1 new_task</td><td>500</td>")
    expect(page).toContain("500 in · 50 out · $0.5000") // what subtasks took is in the sum
    expect(page.match(/<details/g)).toHaveLength(page.match(/<\/details>/g)?.length ?? 0)
  })

  it("as Markdown has them folded, under smaller headings", () => {
    const text = exported("md")
    expect(text).toMatch(/<summary>✓ Subtask in code mode: do the half of it \(accepted\)<\/summary>\n\nresult of child\n/)
    expect(text).toMatch(
      /<summary>What it did: child, .*\n\n#### Handed over\n\n> do the half of it\n.*###### Turn 1 · 1 s\n\nI dig\./s,
    )
  })

  it("as JSON has the whole tree", () => {
    const { entries, files, usage } = JSON.parse(exported("json"))
    const [call] = entries[1].parts
    expect(call).toMatchObject({
      spent: SPENT,
      subtask: { task: "child", story: { parent: "above", title: "do the half of it" } },
    })
    expect(call.subtask.story.entries[1].parts[0].subtask.story.entries[1].parts[0].text).toBe("I dig.")
    expect(files).toEqual([{ path: "deep.ts", added: 1, removed: 1, callKey: "1.1", task: "grandchild" }])
    expect(usage).toEqual(SPENT)
  })

  it("says in one line which of them cannot be read, and tells none twice, though a log leads back to itself", () => {
    expect(exported("html", top, {})).toContain("Subtask child in code mode. Its log is not there.")
    const circle = { child: below("child", said("again"), ...delegating("child", "again")) }
    expect(exported("md", top, circle)).toContain("Subtask child in code mode. It is told elsewhere on this page")
    const started = top.events[0]
    const back = { child: below("child", ...delegating(started?.type === "task-started" ? started.task : "", "up")) }
    expect(exported("html", top, back).match(/What it did/g)).toHaveLength(1)
    const damaged = { child: { events: LOGS["child"]?.events.slice(0, 2) ?? [], damagedAt: 3 } }
    expect(exported("html", top, damaged)).toContain("The task&#39;s log is damaged at line 3; nothing behind it could be read")
  })

  it("takes secrets out of them too, and stays of a size that opens", () => {
    const key = "sk-abcdefghijklmnopqrstuvwx0123"
    const loud = { key: "1.1", name: "look", says: "x".repeat(200_000) }
    const many = Array.from({ length: 20 }, (_, at) => delegating(`one${at}`, `words ${at} ${key}`)).flat()
    const logs = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`one${at}`, below(`one${at}`, ...turn(1, key, loud))]))
    const page = exported("html", { events: recorded([started(), said("go"), ...many]) }, logs)
    expect(page).not.toContain(key)
    expect(page.length).toBeLessThan(2_000_000)
  })

  it.skipIf(!CHROMIUM)(
    "opens in Chromium down to the call that a link leads to (skipped where there is no Chromium)",
    { timeout: 90_000 },
    async () => {
      const attack = {
        child: below("child", said(ATTACK), ...delegating("grandchild", ATTACK)),
        grandchild: LOGS["grandchild"] ?? top,
      }
      const { dom, complaints } = await inBrowser(exported("html", top, attack), "#call-grandchild-1.1")
      expect(complaints).toBe("")
      expect(dom).not.toContain("<title>owned")
      expect(dom).toMatch(/id="call-1\.1" open.*class="subtask" open.*id="call-child-1\.1" open.*class="subtask" open/s)
    },
  )
})
