/** What a writing tool is about to do to one file: worked out once to be shown, and again, on the file as it then is, to be done. */
import type { Host } from "../types/host.ts"
import type { Show } from "../types/show.ts"
import type { ToolContext, ToolOutput } from "../types/tool.ts"

export interface Proposal {
  /** The file's new text; undefined when there is nothing to write. */
  text: string | undefined
  say: string
  show: Show
}

/** The `plan` and `run` of a tool that changes the file at `path`. `propose` changes nothing. */
export function fromProposal<Input extends { path: string }>(propose: (input: Input, host: Host) => Promise<Proposal>) {
  return {
    plan: async (input: Input, { host }: ToolContext): Promise<Show> => (await propose(input, host)).show,
    run: async (input: Input, { host }: ToolContext): Promise<ToolOutput> => {
      const { text, say, show } = await propose(input, host)
      if (text !== undefined) await host.writeFile(input.path, text)
      return { say, show }
    },
  }
}
