/** Random replies for the scripted model on its port: what a model says with the real tools, and every way in which a line can fail. */
import { call, type Piece, type Reply, rawCall, refuse, reply, say, think } from "../../src/scripted-model/scenario.ts"
import type { Random } from "../random.ts"
import { brokenText, objectText, oddText } from "./odd-text.ts"

/** Each command leaves a mark of its own here, so that one that ran twice shows. */
export const MARKS = "marks.txt"

export function randomReply(chance: Random, turn: number): Reply {
  const pieces = Array.from({ length: chance.int(1, 3) }, (_, place) => randomPiece(chance, `${turn}-${place}`))
  const kind = chance.int(0, 29)
  if (kind === 0) return refuse(chance.pick([429, 500, 503]), "not now")
  if (kind === 1) return refuse(chance.pick([400, 401, 404]), "not at all")
  if (kind === 2) return { pieces: [], status: 200, body: "<html><body>Welcome</body></html>" }
  if (kind === 3) return { pieces: [], stall: "headers" }
  const ending = ([{ cut: true }, { eof: true }, { hang: true }] as const)[kind - 4]
  if (ending) return { pieces: [...pieces.slice(0, chance.int(0, pieces.length)), ending] }
  const chunkSize = chance.pick([1, 12, 500])
  if (kind < 9)
    return { pieces, chunkSize, finish: chance.pick(["length", "stop", null, "content_filter"]), done: chance.chance(0.5) }
  return { ...reply(...pieces), chunkSize }
}

function randomPiece(chance: Random, mark: string): Piece {
  switch (chance.int(0, 12)) {
    case 0:
      return say(oddText(chance))
    case 1:
      return think(oddText(chance))
    case 2:
      return call("list_files", { path: "." })
    case 3:
      return call("update_todo_list", { todos: "[x] one\n[ ] two" })
    case 4:
      return call("ask_followup_question", { question: "Which?", follow_up: [] })
    case 5:
      return call("execute_command", { command: `echo ${mark} >> ${MARKS}` }, chance.pick(["same", `call-${mark}`]))
    case 6:
      return rawCall("write_to_file", brokenText(chance))
    case 7:
      return rawCall(chance.pick(["read_file", "no_such_tool", "execute_commands"]), objectText(chance))
    case 8:
      return { pause: chance.int(1, 4) }
    case 9:
      return call("attempt_completion", { result: oddText(chance) })
    case 10:
      return call("read_file", { path: chance.pick(["a.txt", "none.txt", "../outside.txt"]) })
    default:
      return call("write_to_file", { path: chance.pick(["a.txt", "b/c.txt", "../outside.txt"]), content: oddText(chance, 40) })
  }
}
