/** Text from files, programs and models made safe for a terminal: control characters and escape sequences lose their power. */

const ESCAPE_SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g
// C0 and C1 controls except line feed and tab, and the marks that reorder text.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

export function printable(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(ESCAPE_SEQUENCES, "").replace(CONTROLS, "\ufffd")
}

/** For what a person has to judge: nothing is left out, control characters become pictures of themselves. */
export function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(CONTROLS, (control) => {
    const code = control.charCodeAt(0)
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : "\ufffd"
  })
}

export function printableLine(text: string): string {
  return onOneLine(printable(text))
}

export function onOneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ⏎ ")
}
