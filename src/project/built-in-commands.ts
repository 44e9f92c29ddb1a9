/** The slash commands Joey brings along that are instructions for the model. */
import type { SlashCommand } from "../types/project.ts"

export const builtInCommands: readonly SlashCommand[] = [
  {
    name: "init",
    description: "Look at this project and write an AGENTS.md that saves the next agent the search",
    argumentHint: "[what to pay attention to]",
    scope: "built-in",
    body: `Write the file AGENTS.md in the root of this project: what somebody who has never seen it must know to change it well, and could not guess.

1. If AGENTS.md is there already, keep what is true and useful in it and mend the rest. Take over what other agents' files say (CLAUDE.md, .cursorrules, .cursor/rules/, .github/copilot-instructions.md, .roo/rules/, .roorules, .clinerules), where it still holds.
2. Read the README, the manifests and lock files, the scripts, the CI configuration, the linter's and formatter's settings, and the tree of folders. Then read some central source files and their tests.
3. Find out and write down:
   - the commands to build, check, format and test, and how to run a single test; try them where that is safe
   - how the code is divided, what may depend on what, and where a new thing of each usual kind belongs
   - conventions the code follows that no tool enforces: names, errors, types, imports, tests
   - traps: what looks right here and is wrong, what must not be edited by hand, what has to be done in a certain order
4. Leave out what any programmer knows, what the tools say by themselves, lists of files, and praise. Every line must be something you have seen in this project. Aim at less than a hundred short lines.

When it is written, say in a few words what you found surprising and what you could not find out.

$ARGUMENTS`,
  },
]
