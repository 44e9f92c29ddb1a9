/**
 * Signatures under what the scripted model thought, so that a checker can tell whether thoughts came back verbatim and to the model
 * that had them. Others' signatures are not judged.
 */

const MARK = "scripted."

/** Half a surrogate pair and NUL, which no server takes, count as what they are sent back as; in JSON they stand as escapes. */
function readable(text: string): string {
  return text.replace(/[\uD800-\uDFFF]|\u0000|\\u(?:d[89a-f][\da-f]{2}|0000)/gu, "\ufffd")
}

export function sealOf(text: string, model: string): string {
  let hash = 0xcbf29ce4
  for (const part of [model, "\u0001", readable(text)]) {
    for (let at = 0; at < part.length; at++) hash = Math.imul(hash ^ part.charCodeAt(at), 0x01000193)
  }
  return MARK + (hash >>> 0).toString(16).padStart(8, "0")
}

/** False only for a seal of ours that is not of this text and model. */
export function isRightSeal(seal: string, text: string, model: string): boolean {
  return !seal.startsWith(MARK) || seal === sealOf(text, model)
}
