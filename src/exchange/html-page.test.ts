/** The page as a reader meets it: whole, harmless whatever the task held, and no larger than a browser likes. */
import { describe, expect, it } from "vitest"
import { hostileTask } from "../../test/hostile-task.ts"
import { CHROMIUM, inBrowser } from "../../test/in-browser.ts"
import { DOT, finished, recorded, said, started, turn } from "../../test/sample-task.ts"
import type { DurableEvent } from "../types/event.ts"
import { exportTask } from "./export-task.ts"

const USAGE = { inputTokens: 12_345, outputTokens: 67, cachedTokens: 10_000, cost: 0.0123 }
const pageOf = (...events: DurableEvent[]) => exportTask({ events: recorded([started(), ...events]) }, "html")
const edit = {
  key: "1.1",
  name: "jot",
  input: { path: "src/a.ts" },
  show: {
    kind: "diff",
    path: "src/a.ts",
    operation: "modify",
    unified: "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -3 +3 @@\n-old line\n+new line\n",
    added: 1,
    removed: 1,
  },
} as const

describe("the page", () => {
  it("shows words, turns with what they cost, and diffs in colour with line numbers", () => {
    const page = pageOf(said("Repair it"), ...turn(1, "I **will**.", edit, USAGE), finished("ok", USAGE))
    expect(page).toContain("<h1>Repair it</h1>")
    expect(page).toContain("12,345 in (81 % cached) · 67 out · $0.0123")
    expect(page).toContain("<strong>will</strong>")
    expect(page).toMatch(/<tr class="del"><td data-n="3">[^\n]*<mark>old<\/mark> line/)
    expect(page).toContain('<a href="#call-1.1">src/a.ts</a> <span class="plus">+1</span>')
    expect(page).toContain('id="call-1.1" open')
  })

  it("needs nothing from elsewhere: no address that loads, no script but its own", () => {
    const page = pageOf(said("see https://a.example"), ...turn(1, "![x](https://b.example/i.png)", edit), finished("ok", USAGE))
    expect(page).not.toMatch(/\s(?:src|srcset|poster|background|action)="(?!data:)/)
    expect(page).not.toMatch(/@import|url\(|<link|<iframe|<object|<embed|<base/i)
    expect(page.match(/<script/g)).toHaveLength(1)
    expect(page).toMatch(/Content-Security-Policy" content="default-src &#39;none&#39;; img-src data:; style-src &#39;sha256-/)
  })

  it("holds pictures, and leaves out what is none", () => {
    const shown = (mediaType: string) =>
      pageOf({ type: "said", by: "person", content: [{ type: "image", mediaType, data: DOT }] })
    expect(shown("image/png")).toContain(`src="data:image/png;base64,${DOT}"`)
    expect(shown("image/svg+xml")).toContain("[image/svg+xml, 69 bytes, left out]")
  })

  it("takes secrets out before it cuts anything", () => {
    const key = "sk-abcdefghijklmnopqrstuvwx0123"
    const output = `${"x".repeat(16_800 - 10)}${key}${"y".repeat(40_000)}`
    const page = pageOf(
      said(`my key is ${key} and ${"quiet-meadow"}`),
      ...turn(1, key, { key: "1.1", name: "look", says: output }),
    )
    expect(page).not.toContain(key.slice(0, 12))
    const log = { events: recorded([started(), said("quiet-meadow")]) }
    expect(exportTask(log, "html", { held: ["quiet-meadow"] })).not.toContain("quiet-meadow")
  })

  it("finds a secret by the name beside it", () => {
    const input = { clientSecret: "a1b2c3d4e5f6g7h8" }
    expect(pageOf(...turn(1, "", { key: "1.1", name: "look", input }))).not.toContain("a1b2c3d4")
  })

  it("stays small when a task is huge, and says what it leaves out", () => {
    const says = `begin ${"x".repeat(1_000_000)} end`
    const turns = Array.from({ length: 40 }, (_, at) => turn(at + 1, "more", { key: `${at + 1}.1`, name: "look", says }))
    const page = pageOf(said("go"), ...turns.flat())
    expect(page.length).toBeLessThan(2_000_000)
    expect(page).toMatch(/begin x+\n… \d+ characters left out …\nx+ end/)
  })
})

describe("a hostile task", () => {
  it("stays text in every place", () => {
    const page = exportTask({ events: hostileTask() }, "html")
    const body = page.slice(page.indexOf("<body>"), page.lastIndexOf("<script>"))
    expect(body.length).toBeGreaterThan(20_000)
    expect(body).not.toMatch(/<script|<img|<style|href="(?!#|https?:)|<[^>]*\son\w+=/i)
    expect(page.match(/<\/style>/g)).toHaveLength(1)
    expect(page.match(/<\/script>/g)).toHaveLength(1)
  })

  it.skipIf(!CHROMIUM)(
    "runs nothing in Chromium, where the page's own few lines do run (skipped where there is no Chromium)",
    { timeout: 90_000 },
    async () => {
      const page = exportTask({ events: hostileTask() }, "html")
      const { dom, complaints } = await inBrowser(page)
      expect(complaints).toBe("")
      expect(dom).toContain('<div class="fold"><button')
      expect(dom).not.toContain("<title>owned")
      const injected = await inBrowser(
        page.replace("<main>", '<main><script>document.title="owned"</script><img src="https://a.example/x.png">'),
      )
      expect(injected.dom).not.toContain("<title>owned")
      expect(injected.complaints).toMatch(/Content Security Policy/)
    },
  )
})
