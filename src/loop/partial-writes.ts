/**
 * A change of which the person accepted only some hunks: the tool writes as if all were accepted, and what reaches the disk is
 * the file with the accepted ones. Works for every tool that writes whole files through the host.
 */
import type { TextEncoding } from "../text/encoding.ts"
import { keepHunks } from "../text/hunks.ts"
import { unifiedDiff } from "../text/unified-diff.ts"
import { readEditable, writeBack } from "../text/write-back.ts"
import type { FileChange, Host } from "../types/host.ts"
import type { Show } from "../types/show.ts"
import { type KnownFiles, ToolError } from "../types/tool.ts"
import type { CallResult } from "./execute.ts"
import { contentOf } from "./hooked.ts"

export interface PartialWrites {
  host: Host
  files: KnownFiles
  /** The result, with what was kept and what was refused instead of what the tool believes. */
  tell(result: CallResult): CallResult
}

interface Written {
  path: string
  before: string
  /** What the model wanted. */
  wanted: string
  kept: string
  /** What is kept, as the file has it. */
  content: string | Uint8Array
}

/** Hunks are numbered through all files of a call, in the order in which it writes them. */
export function partialWrites(host: Host, files: KnownFiles, accepted: readonly number[]): PartialWrites {
  const written: Written[] = []
  let numbered = 0

  async function keep(path: string, change: string | Uint8Array, from = path): Promise<Written> {
    const { text: before, encoding } = (await host.stat(from)) ? textIn(path, await host.readFile(from)) : textIn(path, "")
    const { text: wanted } = textIn(path, change)
    const { text: kept, hunks } = keepHunks(before, wanted, (hunk) => accepted.includes(numbered + hunk))
    numbered += hunks
    const content = writeBack(kept, encoding)
    if (typeof content === "object" && "lacks" in content) throw cannotBePart(path, `${encoding} has no "${content.lacks}"`)
    const one = { path, before, wanted, kept, content }
    written.push(one)
    return one
  }

  /** A move stays a move; a file that would not be made or deleted with the accepted hunks is left alone. */
  async function keepChange(change: FileChange, all: readonly FileChange[]): Promise<FileChange[]> {
    if ("remove" in change) {
      const isMove = all.some((other) => "from" in other && other.from === change.path)
      return isMove || (await keep(change.path, "")).kept === "" ? [change] : []
    }
    const { before, kept, content } = await keep(change.path, change.content, change.from)
    return kept === before && change.from === undefined ? [] : [{ ...change, content }]
  }

  return {
    host: {
      ...host,
      writeFile: async (path, content) => host.writeFile(path, (await keep(path, content)).content),
      async applyChanges(changes) {
        const kept: FileChange[] = []
        for (const change of changes) kept.push(...(await keepChange(change, changes))) // in order: hunks are numbered through
        await host.applyChanges(kept)
      },
    },
    files: {
      outdated: files.outdated,
      learn: (path, content) => files.learn(path, written.find((one) => one.path === path)?.content ?? content),
    },
    tell: (result) => (written.length === 0 ? result : { ...result, say: told(result, written), ...shown(written) }),
  }
}

function told(result: CallResult, written: readonly Written[]): CallResult["say"] {
  const refused = written.map(({ path, kept, wanted }) => unifiedDiff(path, kept, wanted).unified).filter((diff) => diff !== "")
  const note = `The person accepted only a part of this change. The files hold the accepted part; these parts were refused and are not there:\n${refused.join("\n")}`
  // A tool that believes it did all of it would say so: its words count only when it failed.
  return result.kind === "done" ? note : [{ type: "text", text: note }, ...contentOf(result.say)]
}

function shown(written: readonly Written[]): { show?: Show } {
  const [first] = written
  if (!first || written.length > 1) return {}
  const { path, before, kept } = first
  return { show: { kind: "diff", path, operation: before === "" ? "create" : "modify", ...unifiedDiff(path, before, kept) } }
}

/** As people read it, byte order mark included, so that it leads back to the same bytes. */
function textIn(path: string, content: string | Uint8Array): { text: string; encoding: TextEncoding } {
  if (typeof content === "string") return { text: content, encoding: "UTF-8" }
  const editable = readEditable(content)
  if (!editable) throw cannotBePart(path, "it is not text")
  return { text: editable.mark + editable.text, encoding: editable.encoding }
}

function cannotBePart(path: string, reason: string): ToolError {
  return new ToolError(
    `${path} cannot be changed in part: ${reason}. Nothing was written; the person accepts all of it or nothing.`,
  )
}
