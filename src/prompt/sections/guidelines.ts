/** How to use the tools on offer well: looking, editing, running, asking. */
import type { Section } from "../system.ts"
import { bullets } from "../words.ts"

/** The ways of editing part of a file, and what is worth a word besides the tool's own. */
const EDITING: Record<string, string> = {
  apply_diff: " A search block repeats the file's text exactly, with enough lines to be unique.",
  apply_patch: " Context lines repeat the file's text exactly.",
  search_and_replace: " The text to replace is the file's own, long enough to be unique.",
}

export const guidelines: Section = ({ tools }) => {
  const has = (name: string) => tools.includes(name)
  const edit = Object.keys(EDITING).find(has)
  return bullets("# Using tools well", [
    has("read_file") &&
      "Look before you change: read the lines you edit, search instead of guessing, and trust results over memory.",
    has("search_files") &&
      has("read_file") &&
      "In a large file or an unknown project search first, then read the lines around what you found.",
    edit !== undefined &&
      `Prefer small edits (${edit})${has("write_to_file") ? " to rewriting a file (write_to_file)" : ""}.${EDITING[edit]} Several changes to one file go into one call.`,
    has("write_to_file") && "A file you write is written whole: never leave out a part or put a comment in its place.",
    has("execute_command") &&
      `Read, search and edit files with the tools made for it, not with commands.${has("read_command_output") ? " What runs for ever, such as a server, goes on in the background after its timeout; read_command_output shows and ends it." : ""}`,
    has("ask_followup_question") &&
      "Ask (ask_followup_question) only when the answer changes what you do and you cannot find it out yourself; offer two to four likely answers.",
  ])
}
