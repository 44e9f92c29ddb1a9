/** How to use the tools on offer well: looking, editing, running, asking. */
import type { Section } from "../system.ts"
import { bullets } from "../words.ts"

export const guidelines: Section = ({ tools }) => {
  const has = (name: string) => tools.includes(name)
  return bullets("# Using tools well", [
    has("read_file") &&
      "Look before you change: read the lines you edit, search instead of guessing, and trust results over memory.",
    has("search_files") &&
      has("read_file") &&
      "In a large file or an unknown project search first, then read the lines around what you found.",
    has("apply_diff") &&
      `Prefer small edits (apply_diff)${has("write_to_file") ? " to rewriting a file (write_to_file)" : ""}. A search block repeats the file's text exactly, with enough lines to be unique; several changes to one file go into one call.`,
    has("write_to_file") && "A file you write is written whole: never leave out a part or put a comment in its place.",
    has("execute_command") &&
      "Commands run without a terminal: no pagers, no prompts, nothing that waits for input or runs for ever. Read, search and edit files with the tools made for it, not with commands.",
    has("ask_followup_question") &&
      "Ask (ask_followup_question) only when the answer changes what you do and you cannot find it out yourself; offer two to four likely answers.",
  ])
}
