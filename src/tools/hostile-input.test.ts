/** Tools that read, search and ask, with arguments meant to break them. */
import { guardedHost } from "../host/guarded.ts"
import { localHost } from "../host/local.ts"
import { temporaryFolder } from "../host/temporary-folder.ts"
import { askFollowupQuestion } from "./ask-followup-question.ts"
import { attemptCompletion } from "./attempt-completion.ts"
import { describeHostileInput } from "./hostile-input.ts"
import { listFiles } from "./list-files.ts"
import { readFile } from "./read-file.ts"
import { searchFiles } from "./search-files.ts"
import { updateTodoList } from "./update-todo-list.ts"
import { webFetch } from "./web-fetch.ts"

const ground = {
  folder: temporaryFolder,
  host: (workspace: string) => guardedHost(localHost(workspace), { roots: [workspace] }),
}
const page = { status: 200, contentType: "text/plain", body: Buffer.from("text"), cut: false }

describeHostileInput(ground, { tool: readFile(), args: { path: "text.txt" }, paths: ["path"] })
describeHostileInput(ground, { tool: listFiles, args: { path: "." }, paths: ["path"] })
describeHostileInput(ground, { tool: searchFiles, args: { path: ".", regex: "o", file_pattern: "*" }, paths: ["path"] })
describeHostileInput(ground, {
  tool: webFetch({ fetchPage: async (url) => ({ url, ...page }) }),
  args: { url: "https://a.example" },
  paths: ["url"],
})
describeHostileInput(ground, { tool: updateTodoList, args: { todos: "[ ] one" }, paths: [], accepts: ["todos"] })
describeHostileInput(ground, {
  tool: askFollowupQuestion({ ask: async () => [] }),
  args: { question: "?", follow_up: ["a"] },
  paths: [],
  accepts: ["follow_up"],
})
describeHostileInput(ground, {
  tool: attemptCompletion({ complete: async () => ({ accepted: true }) }),
  args: { result: "done" },
  paths: [],
})
