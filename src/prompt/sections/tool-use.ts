/** How to call tools well. The tools themselves travel beside the prompt, never in it. */
import type { Section } from "../system.ts"

export const toolUse: Section = () => `# Tools
- Act through the tools you are given; their arguments are one JSON object each. Several independent calls may go into one reply: readers run side by side, everything else in order.
- Every call gets exactly one result. A result that reports an error says what to change; do not send the same call again unchanged.
- Look before you change: read the lines you edit, search instead of guessing, and trust results over memory.
- Prefer small edits (apply_diff) to rewriting a file (write_to_file). A search block repeats the file's text exactly, with enough lines to be unique.
- Commands run without a terminal: no pagers, no prompts, nothing that waits for input or runs for ever.`
