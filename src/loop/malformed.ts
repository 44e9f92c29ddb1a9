/** What the model and the person are told about a call whose arguments are no JSON object (S12–S14). */
import type { MalformedCall } from "../types/message.ts"
import type { CallResult } from "./execute.ts"

export function tellMalformed({ name, input, malformed }: MalformedCall): CallResult {
  const { problem, offset, excerpt, raw, cut } = malformed
  const at = `at character ${offset} of ${raw.length}${excerpt ? `, near ${JSON.stringify(excerpt)}` : ""}`
  const what = cut
    ? `The call to ${name} was cut off by the output limit after ${raw.length} characters (${problem}).`
    : `The arguments of ${name} are not valid JSON: ${problem}, ${at}.`
  const next = cut
    ? "Send less at once: write the file in several smaller edits, or split the call."
    : "Call it again with one complete JSON object; inside strings write \\n for a line break, and escape quotes and backslashes."
  const say = `${what} Nothing was run, nothing was guessed. ${next}`
  return {
    kind: "invalid",
    say,
    show: { kind: "malformed", tool: name, input, problem: cut ? `cut off: ${problem}` : `${problem} (${at})` },
  }
}
