/**
 * What a writing tool is about to do: worked out once to be shown, and again, on the files as they then are, to be done. A file
 * that somebody has changed since the model saw it, or since the person agreed to the change, is not written.
 */
import { unifiedDiff } from "../text/unified-diff.ts"
import type { FileChange, Host } from "../types/host.ts"
import type { Show } from "../types/show.ts"
import { type KnownFiles, type ToolContext, ToolError, type ToolOutput } from "../types/tool.ts"
import { type ExistingText, existingText } from "./existing-text.ts"

export interface Proposal {
  /** All or none are made; empty when there is nothing to do. */
  changes: readonly FileChange[]
  say: string
  show: Show
}

/** The files as they are, for a tool that is working out what to do. */
export interface Originals {
  /** Rejects when the file is not what the model, or the person, believes. */
  read(path: string): Promise<ExistingText>
  /** Two names of the same file lead to the same place. */
  place(path: string): Promise<string>
}

/** What stood in the files when the change was shown; undefined for none. */
type Shown = Map<string, string | undefined>

/** The `plan` and `run` of a tool that changes files. `propose` changes nothing. */
export function fromProposal<Input extends object>(propose: (input: Input, files: Originals) => Promise<Proposal>) {
  const planned = new WeakMap<Input, Shown>()
  return {
    plan: async (input: Input, context: ToolContext): Promise<Show> => {
      const seen: Shown = new Map()
      const { show } = await propose(input, originals(context, seen))
      planned.set(input, seen)
      return show
    },
    run: async (input: Input, context: ToolContext): Promise<ToolOutput> => {
      const { changes, say, show } = await propose(input, originals(context, new Map(), planned.get(input)))
      context.signal.throwIfAborted()
      await make(changes, context.host)
      for (const change of changes) if ("content" in change) context.files?.learn(change.path, change.content)
      return { say, show }
    },
  }
}

async function make(changes: readonly FileChange[], host: Host): Promise<void> {
  const [first, ...others] = changes
  if (!first) return
  if (others.length === 0 && "content" in first) await host.writeFile(first.path, first.content)
  else await host.applyChanges(changes)
}

function originals({ host, files }: ToolContext, seen: Shown, shown?: Shown): Originals {
  return {
    place: (path) => host.realPath(path),
    async read(path) {
      const existing = await existingText(path, host)
      const bytes = existing.kind === "absent" ? undefined : existing.bytes
      const text = existing.kind === "text" ? existing.mark + existing.text : bytes && Buffer.from(bytes).toString("latin1")
      const outdated = bytes && files?.outdated(path, bytes)
      if (outdated) throw new ToolError(tellOutdated(path, outdated, text, () => files?.learn(path, bytes)))
      if (shown?.has(path) && shown.get(path) !== text) throw new ToolError(tellOvertaken(path, shown.get(path), text))
      seen.set(path, text)
      return existing
    },
  }
}

/** A difference longer than this is better read as a file. */
const LONGEST_DIFF = 8_000

type Outdated = NonNullable<ReturnType<KnownFiles["outdated"]>>

function tellOutdated(path: string, { before, by }: Outdated, now: string | undefined, learn: () => void): string {
  const who = by === undefined ? "has changed" : `was changed by ${by}, who works in this folder at the same time,`
  const changed = `${path} ${who} since you last saw it; nothing was written.`
  if (before === undefined || now === undefined) return `${changed} Read it again, then repeat your change.`
  const { unified } = unifiedDiff(path, before, now)
  if (unified.length > LONGEST_DIFF || unified.includes("…")) {
    return `${changed} The change begins with:\n${unified.slice(0, LONGEST_DIFF / 2)}\n…\nRead it again, then repeat your change.`
  }
  learn()
  return `${changed} This is what is different now:\n${unified}Make sure that your change still fits, then repeat it.`
}

function tellOvertaken(path: string, before: string | undefined, now: string | undefined): string {
  const { unified } = unifiedDiff(path, before, now)
  const difference = unified.length > LONGEST_DIFF ? "" : ` Since then:\n${unified}`
  return `${path} was changed by somebody after the person had agreed to this call; nothing was written.${difference}\nRepeat the call if it still fits.`
}
