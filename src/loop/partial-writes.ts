/**
 * A change of which the person accepted only some hunks: the tool writes as if all were accepted, and what reaches the disk is
 * the file with the accepted ones. Works for every tool that writes whole files through the host.
 */
import { keepHunks } from "../text/hunks.ts"
import { unifiedDiff } from "../text/unified-diff.ts"
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
}

/** Hunks are numbered through all files of a call, in the order in which it writes them. */
export function partialWrites(host: Host, files: KnownFiles, accepted: readonly number[]): PartialWrites {
  const written: Written[] = []
  let numbered = 0

  async function keep(path: string, wanted: string, from = path): Promise<Written> {
    const before = (await host.stat(from)) ? textOf(await host.readFile(from)) : ""
    const { text: kept, hunks } = keepHunks(before, wanted, (hunk) => accepted.includes(numbered + hunk))
    numbered += hunks
    const one = { path, before, wanted, kept }
    written.push(one)
    return one
  }

  /** A move stays a move; a file that would not be made or deleted with the accepted hunks is left alone. */
  async function keepChange(change: FileChange, all: readonly FileChange[]): Promise<FileChange[]> {
    if ("remove" in change) {
      const isMove = all.some((other) => "from" in other && other.from === change.path)
      return isMove || (await keep(change.path, "")).kept === "" ? [change] : []
    }
    const { before, kept } = await keep(change.path, wholeText(change.path, change.content), change.from)
    return kept === before && change.from === undefined ? [] : [{ ...change, content: kept }]
  }

  return {
    host: {
      ...host,
      writeFile: async (path, content) => host.writeFile(path, (await keep(path, wholeText(path, content))).kept),
      async applyChanges(changes) {
        const kept: FileChange[] = []
        for (const change of changes) kept.push(...(await keepChange(change, changes))) // in order: hunks are numbered through
        await host.applyChanges(kept)
      },
    },
    files: {
      outdated: files.outdated,
      learn: (path, content) => files.learn(path, written.find((one) => one.path === path)?.kept ?? content),
    },
    tell: (result) => (written.length === 0 ? result : { ...result, say: told(result, written), ...shown(written) }),
  }
}

function told(result: CallResult, written: readonly Written[]): CallResult["say"] {
  const refused = written.map(({ path, kept, wanted }) => unifiedDiff(path, kept, wanted).unified).filter((diff) => diff !== "")
  const note = `The person accepted only a part of this change. The files hold the accepted part; these parts were refused and are not there:\n${refused.join("\n")}`
  return [...contentOf(result.say), { type: "text", text: note }]
}

function shown(written: readonly Written[]): { show?: Show } {
  const [first] = written
  if (!first || written.length > 1) return {}
  const { path, before, kept } = first
  return { show: { kind: "diff", path, operation: before === "" ? "create" : "modify", ...unifiedDiff(path, before, kept) } }
}

/** A tool that writes bytes keeps another encoding than UTF-8: hunks of it cannot be told apart here. */
function wholeText(path: string, content: string | Uint8Array): string {
  if (typeof content === "string") return content
  throw new ToolError(
    `${path} is not UTF-8 and cannot be changed in part. Nothing was written; the person accepts all of it or nothing.`,
  )
}

function textOf(content: string | Uint8Array): string {
  return typeof content === "string" ? content : new TextDecoder("utf-8", { ignoreBOM: true }).decode(content)
}
