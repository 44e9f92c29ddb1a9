/** The modes Joey brings along. The first is the default. */
import type { Mode } from "../types/mode.ts"

export const builtInModes: readonly Mode[] = [
  {
    slug: "code",
    name: "Code",
    role: "You are Joey, a coding agent. You work in one project on the person's machine: you read it, change it, run it, and hand in a result the person can check.",
    whenToUse: "Writing, changing and fixing code.",
    groups: [{ group: "read" }, { group: "edit" }, { group: "browser" }, { group: "command" }, { group: "mcp" }],
  },
]
