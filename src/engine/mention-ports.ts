/** How mentions in the person's words reach files, images, git, web pages and commands: through the guarded host, past the project's ignore files. */
import type { MentionPorts } from "../context/mentions.ts"
import { gitState } from "../project/git-state.ts"
import { listFolder } from "../project/listing.ts"
import { findMentions } from "../project/mentions.ts"
import { binaryKind } from "../text/binary-kind.ts"
import { type Host, HostError } from "../types/host.ts"
import type { Jobs } from "../types/job.ts"
import type { WebPort } from "../types/web.ts"

const PAGE = 2_000
const SNIFF = 4_096
const MOST_ENTRIES = 200
const LARGEST_IMAGE = 5 * 1024 * 1024
const PAGE_MS = 30_000

export interface MentionSources {
  jobs?: Jobs
  /** Opened with the first page. */
  web?(): Promise<WebPort>
}

export function mentionPorts(host: Host, isIgnored: (path: string) => boolean, { jobs, web }: MentionSources = {}): MentionPorts {
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
    ...(web && { page: async (url) => pageText(url, await web()) }),
    async lastCommand() {
      const last = jobs?.all().at(-1)
      return last ? { command: last.command, text: last.printed().text } : { unread: "no command has run in this task" }
    },
  }
}

/** The person's own words asked for it; whether it may lie in their own networks, the settings say. */
async function pageText(url: string, web: WebPort): Promise<{ text: string } | { unread: string }> {
  try {
    const page = await web.fetchPage(url, { signal: AbortSignal.timeout(PAGE_MS) })
    if (page.redirect !== undefined) return { unread: `leads to another site, ${page.redirect.slice(0, 300)}` }
    if (page.status >= 400) return { unread: `answered with status ${page.status}` }
    const { readable } = await import("../tools/web-fetch.ts")
    const { title, text } = await readable(page)
    return { text: title === "" ? text : `${title}\n\n${text}` }
  } catch (error) {
    return { unread: `cannot be read: ${error instanceof Error ? error.message.replace(/\.$/, "") : String(error)}` }
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
