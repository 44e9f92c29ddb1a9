/** A task in which everything that can hold text holds an attack on whoever shows it as a page. */
import type { Recorded } from "../src/types/event.ts"
import type { Show } from "../src/types/show.ts"
import { finished, part, ran, recorded, replied, said, started, text, turn } from "./sample-task.ts"

/** Acts where it is taken for HTML: in text, in an attribute, in a script, in a style. */
export const ATTACK = `"'></p></pre></td></details></style></script><script>document.title="owned"</script><img src=x onerror="document.title='owned'"><a href="javascript:document.title='owned'">x</a>`

export function hostileTask(): Recorded[] {
  const diff = `--- a/x\n+++ b/x\n@@ -1 +1 @@\n-${ATTACK}\n+${ATTACK}!\n`
  const approve = {
    kind: "approve" as const,
    callKey: "1.1",
    tool: ATTACK,
    digest: ATTACK,
    reason: ATTACK,
    show: { kind: "title" as const, text: ATTACK },
    always: { covers: ATTACK, grant: ATTACK },
  }
  const shown: Show[] = [
    { kind: "title", text: ATTACK },
    { kind: "file", path: ATTACK, offset: 1, count: 2 },
    { kind: "listing", path: ATTACK, count: 1, cut: true },
    { kind: "hits", pattern: ATTACK, path: ATTACK, files: 1, count: 1, cut: true },
    { kind: "diff", path: ATTACK, operation: "modify", unified: diff, added: 1, removed: 1 },
    { kind: "changes", files: [{ path: ATTACK, operation: "move", to: ATTACK, unified: diff, added: 1, removed: 1 }] },
    { kind: "command", command: ATTACK, cwd: ATTACK, output: ATTACK, exitCode: 1 },
    { kind: "todos", todos: [{ text: ATTACK, status: "done" }] },
    { kind: "subtask", mode: ATTACK, message: ATTACK, task: ATTACK, ending: ATTACK },
    { kind: "text", title: ATTACK, text: `${ATTACK} ${ATTACK}` },
    { kind: "question", question: ATTACK, suggestions: [{ text: ATTACK }] },
    { kind: "result", text: ATTACK },
    { kind: "malformed", tool: ATTACK, input: { [ATTACK]: ATTACK }, problem: ATTACK },
    { kind: "input", tool: ATTACK, input: { [ATTACK]: ATTACK } },
  ]
  const first = { key: "1.1", name: ATTACK, input: { [ATTACK]: ATTACK }, says: ATTACK }
  return recorded([
    { ...started(ATTACK, ATTACK), mode: ATTACK, model: ATTACK } as ReturnType<typeof started>,
    { type: "said", by: "person", content: [...text(ATTACK), { type: "image", mediaType: `image/png${ATTACK}`, data: ATTACK }] },
    { type: "said", by: "person", content: [{ type: "image", mediaType: "image/png", data: `AAAA" onerror="x` }] },
    { type: "said", by: "person", content: [{ type: "image", mediaType: "image/svg+xml", data: "AAAA" }] },
    said(ATTACK, "joey"),
    ...replied(1, [{ type: "reasoning", text: ATTACK }, { type: "text", text: ATTACK }, part(first)]),
    { type: "asked", id: "q", question: approve },
    { type: "answered", id: "q", answer: { kind: "words", content: text(ATTACK) }, by: ATTACK },
    ...ran(first),
    ...shown.flatMap((show, at) =>
      turn(at + 2, `# ${ATTACK}\n\n- ${ATTACK}\n\n> ${ATTACK}`, { key: `${at + 2}.1`, name: ATTACK, show, says: ATTACK }),
    ),
    { type: "subtask-started", callKey: "1.1", task: ATTACK, mode: ATTACK, message: ATTACK },
    { type: "notice", text: ATTACK },
    { type: "pinned", item: ATTACK, pinned: true },
    { type: "dropped", item: ATTACK },
    { type: "tools-changed", added: [ATTACK], removed: [ATTACK] },
    { type: "tools-loaded", names: [ATTACK] },
    { type: "said", by: "person", content: text(ATTACK), when: "end" },
    { type: "rewound", to: 1_000_000, reason: ATTACK },
    { type: "mode-changed", mode: ATTACK, reason: ATTACK, by: "model" },
    { type: "request-failed", turn: 2, attempt: 1, fault: { kind: "server", message: ATTACK, retryable: false } },
    {
      type: "task-finished",
      ending: { reason: "limit", limit: ATTACK, message: ATTACK },
      usage: { inputTokens: 1, outputTokens: 1 },
      tools: {},
    },
    finished(ATTACK, { inputTokens: 1, outputTokens: 1 }),
  ])
}
