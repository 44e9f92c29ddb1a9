/** How mentions in the person's words reach files, images and git: through the guarded host, past the project's ignore files. */
import type { MentionPorts } from "../context/mentions.ts"
import { gitState } from "../project/git-state.ts"
import { listFolder } from "../project/listing.ts"
import { findMentions } from "../project/mentions.ts"
import { binaryKind } from "../text/binary-kind.ts"
import { type Host, HostError } from "../types/host.ts"

const PAGE = 2_000
const SNIFF = 4_096
const MOST_ENTRIES = 200
const LARGEST_IMAGE = 5 * 1024 * 1024

export function mentionPorts(host: Host, isIgnored: (path: string) => boolean): MentionPorts {
  const git = gitState({ host, isIgnored })
  const kept = (path: string) => isIgnored(path.replace(/^\.?\//, ""))
  return {
    find: findMentions,
    async readPage(path) {
      if (kept(path)) return { unread: "is kept from you by the project's ignore file" }
      return unlessMissing(async () => {
        const kind = binaryKind(await host.readHead(path, SNIFF))
        return kind ? { unread: `is not text (${kind})` } : host.readLines(path, { offset: 1, limit: PAGE })
      })
    },
    list: (path) =>
      unlessMissing(async () => {
        if (kept(`${path.replace(/\/$/, "")}/`)) return { unread: "is kept from you by the project's ignore file" }
        const real = await host.realPath(path)
        if (!(await host.stat(path))) return { unread: "does not exist" }
        const inside = path.replace(/\/?$/, "/").replace(/^\.?\//, "")
        return listFolder(real, MOST_ENTRIES, (entry) => isIgnored(`${inside}${entry}`))
      }),
    async image(path) {
      if (kept(path)) return { unread: "is kept from you by the project's ignore file" }
      return unlessMissing(async () => {
        const facts = await host.stat(path)
        if (facts && facts.size > LARGEST_IMAGE) return { unread: `is too big (${Math.round(facts.size / 1_048_576)} MB)` }
        return { mediaType: mediaTypeOf(path), data: Buffer.from(await host.readFile(path)).toString("base64") }
      })
    },
    gitDiff: git.changes,
    gitCommit: git.commit,
  }
}

async function unlessMissing<T>(read: () => Promise<T>): Promise<T | { unread: string }> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof HostError) return { unread: error.code === "not-found" ? "does not exist" : error.message }
    throw error
  }
}

function mediaTypeOf(path: string): string {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase()
  return `image/${extension === "jpg" ? "jpeg" : extension === "svg" ? "svg+xml" : extension}`
}
