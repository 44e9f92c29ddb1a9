/** How calls and results work. The tools themselves travel beside the prompt, unless calls are written as tags. */
import type { Section } from "../system.ts"

const NATIVE = "The arguments of a call are one JSON object; what you write as text is never run."
const TAGGED =
  "You call a tool by writing it as tags, in the form shown below. Tags outside of code are run; inside a code fence they are only shown."

export const toolUse: Section = ({ protocol }) => `# Tools
- Act through the tools you are given. ${protocol === "xml" ? TAGGED : NATIVE}
- Independent calls go into one reply: readers run side by side, everything else in order. A call that needs another's result waits for the next reply.
- Every call gets exactly one result. One that reports an error says what to change; do not send the same call again unchanged.
- Some calls wait for the person's approval. A refusal is an answer: read its words and change your plan.`
