/** What the model and the person are told about a call whose arguments are no JSON object (S12–S14). */
import { clipObject, clipText } from "../json/clip.ts"
import type { MalformedCall } from "../types/message.ts"
import type { ToolProtocol } from "../types/model.ts"
import type { Show } from "../types/show.ts"
import type { CallResult } from "./execute.ts"

export function tellMalformed(call: MalformedCall, protocol: ToolProtocol = "native"): CallResult {
  const { problem, raw, cut } = call.malformed
  const what = cut
    ? `The call to ${call.name} was cut off by the output limit after ${raw.length} characters (${problem}).`
    : `The arguments of ${call.name} ${protocol === "xml" ? "cannot be read" : "are not valid JSON"}: ${problem}, ${placeOf(call)}.`
  const next = cut
    ? "Send less at once: write the file in several smaller edits, or split the call."
    : protocol === "xml"
      ? "Write the call again, with one tag for each argument and every tag closed."
      : "Call it again with one complete JSON object; inside strings write \\n for a line break, and escape quotes and backslashes."
  return { kind: "invalid", say: `${what} Nothing was run, nothing was guessed. ${next}`, show: malformedShow(call) }
}

/** Bounded: it is for eyes, and the log has the raw text. */
export function malformedShow(call: MalformedCall): Show {
  const { problem, cut, unfinished } = call.malformed
  return {
    kind: "malformed",
    tool: clipText(call.name, LONGEST_NAME),
    input: clipObject(call.input),
    problem: cut ? `cut off: ${problem}` : `${problem} (${placeOf(call)})`,
    ...(unfinished !== undefined && { unfinished: clipText(unfinished, LONGEST_NAME) }),
  }
}

const LONGEST_NAME = 100

function placeOf({ malformed: { offset, raw, excerpt } }: MalformedCall): string {
  return `at character ${offset} of ${raw.length}${excerpt ? `, near ${JSON.stringify(excerpt)}` : ""}`
}
