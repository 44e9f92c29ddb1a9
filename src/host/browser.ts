/** The browser of a task: started with the first page, one action at a time, ended with the task or when its page got stuck. */
import type { ActOptions, BrowserAction, BrowserPort, PageSeen, Size } from "../types/browser.ts"
import { HostError } from "../types/host.ts"
import { before, type Live, look, open, type Patience, perform } from "./browser-page.ts"
import { findBrowser } from "./browser-program.ts"
import { createReach, type ReachOptions } from "./browser-reach.ts"
import { openSession, type Session } from "./browser-session.ts"

export interface BrowserOptions extends ReachOptions {
  /** The program. Default: the one of this machine. */
  program?: string
  /** Names of environment variables that hold keys of ours, besides the well-known ones. */
  withheld?: readonly string[]
  /** For tests. */
  patience?: Patience
}

const SIZE: Size = { width: 900, height: 600 }
const PATIENCE: Patience = { load: 20_000, answer: 5000, rest: 3000 }

export function openBrowser(options: BrowserOptions = {}): BrowserPort {
  const { patience = PATIENCE } = options
  const reach = createReach(options)
  let session: Live | undefined
  let size = SIZE
  /** It did not answer the last time. */
  let isStuck = false
  let isClosed = false
  let starting: Promise<Session> | undefined
  let busy: Promise<unknown> = Promise.resolve()

  async function start(): Promise<Live> {
    const found = options.program === undefined ? findBrowser() : { program: options.program }
    if ("problem" in found) throw new HostError("not-found", found.problem)
    const { withheld } = options
    // Whoever calls a start off leaves it to the next one.
    starting ??= openSession({ program: found.program, reach, size, ...(withheld && { withheld }) }).finally(() => {
      starting = undefined
    })
    const started = { ...(await starting), patience }
    session = started
    if (isClosed) await close()
    return started
  }

  async function launch(address: string, act: ActOptions): Promise<PageSeen> {
    const site = await before(act.signal, reach.judge(address))
    // A page of the web must be gone before pages of this machine come within reach.
    if (session && (isStuck || session.broken() || site.isLocal !== reach.isLocal())) await close()
    reach.enter(site)
    isStuck = false
    const opened = session ?? (await before(act.signal, start()))
    const late = await open(opened, site.url.href, act)
    return told(await look(opened, act, size, { late }))
  }

  async function act(action: BrowserAction, how: ActOptions): Promise<PageSeen> {
    if (action.action === "launch") return launch(action.url, how)
    if (action.action === "close") {
      await close()
      return { url: "", title: "", size, outline: "", messages: [] }
    }
    if (!session) throw new HostError("other", "No page is open; launch one first.")
    const why = session.broken()
    if (why) {
      await close()
      throw new HostError("other", `The page is not there any more: ${why}. Launch it again.`)
    }
    if (action.action === "resize") size = { width: action.width, height: action.height }
    const pending = session.loading() // what never ends is not waited for again
    await perform(session, action, how.signal, size)
    return told(await look(session, how, size, { pending }))
  }

  function told({ answers, ...seen }: PageSeen & { answers: boolean }): PageSeen {
    isStuck = !answers
    return seen
  }

  async function close(): Promise<void> {
    const ending = session
    session = undefined
    await ending?.close()
  }

  return {
    async act(action, how) {
      const turn = busy.then(() => {
        how.signal.throwIfAborted()
        if (isClosed) throw new HostError("other", "The task is closed; no page can be opened any more.")
        return act(action, how)
      })
      busy = turn.catch(() => {})
      return turn
    },
    address: () => (session ? reach.site() : undefined),
    async close() {
      isClosed = true
      await close()
    },
  }
}
