/**
 * One Chromium with one page, for a task. Whatever the page does (dialogs, downloads, other windows, endless printing) is answered here
 * and noted; nothing a page does may hold up the caller for longer than the limits say.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BrowserContext, CDPSession, Page } from "playwright-core"
import type { Size } from "../types/browser.ts"
import { HostError } from "../types/host.ts"
import { createNotes, type Notes } from "./browser-notes.ts"
import { openProxy } from "./browser-proxy.ts"
import type { Reach } from "./browser-reach.ts"
import { childEnvironment } from "./child-environment.ts"
import { killMarked } from "./process-group.ts"
import { beginningOf, marked, newMark } from "./process-table.ts"

export interface Session {
  page: Page
  cdp: CDPSession
  notes: Notes
  /** Requests of the page that are not answered yet. */
  loading(): number
  /** When something last happened on the page. */
  stirredAt(): number
  /** Why nothing can be done with the page any more. */
  broken(): string | undefined
  /** Where the page wanted to go by itself and was not let, since this was last asked. */
  strayed(): string | undefined
  /** Why connections failed, by host and port. */
  refusals: ReadonlyMap<string, string>
  close(): Promise<void>
}

export interface SessionOptions {
  program: string
  reach: Reach
  size: Size
  withheld?: readonly string[]
}

const FOLDER = "joey-browser-"
const START_MS = 30_000
const CLOSE_MS = 3000
/** A page that does more than this between two actions, or opens more windows and dialogs at all, is out of control. */
const MOST_NOTES = 3000
const MOST_WINDOWS = 20
const MOST_DIALOGS = 100
const MOST_REFUSALS = 1000
/** Whom Chromium itself would like to talk to, whatever its switches say. */
const OWN_ERRANDS =
  /^(?:content-autofill|update|optimizationguide-pa|safebrowsing)\.googleapis\.com$|^(?:android\.clients|clients\d*|mtalk)\.google\.com$|\.gvt1\.com$/

/** No traffic of its own, none past the proxy, and a bound on what a page's scripts can hold. */
const FLAGS = [
  ..."--disable-quic --disable-sync --disable-gpu --no-first-run --disable-background-networking --disable-component-update".split(
    " ",
  ),
  ..."--force-webrtc-ip-handling-policy=disable_non_proxied_udp --renderer-process-limit=4 --dns-prefetch-disable".split(" "),
  "--js-flags=--max-old-space-size=1024",
]

export async function openSession(options: SessionOptions): Promise<Session> {
  const { reach } = options
  const notes = createNotes()
  const refusals = new Map<string, string>()
  const proxy = await openProxy({
    addressesOf: async (host) => {
      if (OWN_ERRANDS.test(host)) throw new HostError("no-access", "the browser runs no errands of its own")
      return reach.addressesOf(host)
    },
    onRefused(host, why) {
      if (refusals.size < MOST_REFUSALS) refusals.set(host, why)
    },
  })
  const mark = newMark()
  const folder = await makeFolder()
  const end = async (context?: BrowserContext) => {
    if (context) await closeContext(context)
    proxy.close()
    killMarked(new Set([mark]))
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
  }
  try {
    const context = await startBrowser(options, { folder, port: proxy.port, mark })
    return await openPage({ context, reach, notes, refusals, end: () => end(context) })
  } catch (error) {
    await end()
    throw error
  }
}

/** For the browser's own files. Those of a Joey that was killed are removed on the way. */
async function makeFolder(): Promise<string> {
  const folders = await readdir(tmpdir()).catch(() => [])
  for (const name of folders) {
    const pid = Number(new RegExp(`^${FOLDER}(\\d+)-`).exec(name)?.[1])
    if (pid > 0 && beginningOf(pid) === undefined)
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {})
  }
  return mkdtemp(join(tmpdir(), `${FOLDER}${process.pid}-`))
}

interface Start {
  folder: string
  port: number
  mark: string
}

async function startBrowser(options: SessionOptions, { folder, port, mark }: Start): Promise<BrowserContext> {
  const { program, withheld, reach, size } = options
  const { chromium } = await loadPlaywright()
  const env = Object.entries({ ...childEnvironment(process.env, withheld), ...marked(mark) })
  try {
    return await chromium.launchPersistentContext(join(folder, "profile"), {
      executablePath: program,
      artifactsDir: join(folder, "artifacts"),
      args: FLAGS,
      ignoreDefaultArgs: ["--disable-popup-blocking", "--disable-ipc-flooding-protection"],
      chromiumSandbox: !isRoot(),
      proxy: { server: `http://127.0.0.1:${port}`, bypass: "<-loopback>" },
      env: Object.fromEntries(env.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      timeout: START_MS,
      viewport: size,
      acceptDownloads: false,
      serviceWorkers: "block",
      ignoreHTTPSErrors: reach.isLocal(), // whoever writes a page here signs it himself
    })
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    const why = /sandbox/i.test(said)
      ? "its own sandbox cannot be made on this system"
      : (said.split("\n")[0] ?? "").slice(0, 200)
    throw new HostError("other", `The browser ${program} cannot be started: ${why}. joey doctor says more.`)
  }
}

/** Chromium's own sandbox does not work for root; everybody else has it. */
export function isRoot(): boolean {
  return process.getuid?.() === 0
}

async function loadPlaywright() {
  try {
    return await import("playwright-core")
  } catch {
    throw new HostError("not-found", "The package playwright-core is not installed; install Joey again.")
  }
}

interface Opening {
  context: BrowserContext
  reach: Reach
  notes: Notes
  refusals: ReadonlyMap<string, string>
  end(): Promise<void>
}

async function openPage({ context, reach, notes, refusals, end }: Opening): Promise<Session> {
  let broken: string | undefined
  let strayed: string | undefined
  let loading = 0
  let stirredAt = 0
  const page = context.pages()[0] ?? (await context.newPage())
  const cdp = await context.newCDPSession(page)
  const breakWith = (why: string) => {
    broken ??= why
    void page.close().catch(() => {})
  }
  context.once("close", () => {
    broken ??= "the browser has ended"
  })
  page.once("crash", () => breakWith("it has crashed"))
  const stir = (change: number) => () => {
    loading += change
    stirredAt = Date.now()
  }
  page.on("request", stir(1)).on("requestfinished", stir(-1)).on("requestfailed", stir(-1))
  page.on("framenavigated", stir(0)).on("dialog", stir(0))
  tellOf(page, { notes, refusals, breakWith })
  closeWindows(context, page, notes, breakWith)
  await keepOnSite(cdp, reach, (address) => {
    strayed = address
    notes.add(`The page wanted to go to ${address}, another site, and was not let. Launch that address if you want it.`)
  })
  return {
    page,
    cdp,
    notes,
    refusals,
    loading: () => Math.max(0, loading),
    stirredAt: () => stirredAt,
    broken: () => broken,
    strayed() {
      const address = strayed
      strayed = undefined
      return address
    },
    close: end,
  }
}

interface Telling {
  notes: Notes
  refusals: ReadonlyMap<string, string>
  breakWith(why: string): void
}

/** What a page says and what goes wrong on it, as lines. */
function tellOf(page: Page, { notes, refusals, breakWith }: Telling): void {
  let dialogs = 0
  const add = (line: string) => {
    notes.add(line)
    if (notes.count() > MOST_NOTES) breakWith("it printed without end and was closed")
  }
  page.on("console", (message) => {
    const text = message.text().slice(0, 1000)
    if (!text.startsWith("Failed to load resource")) add(`console ${message.type()}: ${text}`) // told below, with the address
  })
  page.on("pageerror", (error) => add(`error on the page: ${error.message}`))
  page.on("response", (response) => {
    if (response.status() >= 400) add(`${response.request().method()} ${response.url()}: status ${response.status()}`)
  })
  page.on("requestfailed", (request) => {
    const error = request.failure()?.errorText ?? ""
    const why = refusals.get(hostOf(request.url())) ?? error
    if (error !== "net::ERR_ABORTED") add(`${request.method()} ${request.url()}: ${why}`)
  })
  page.on("dialog", (dialog) => {
    // A question whether to leave is answered with yes; all others are sent away.
    const isLeaving = dialog.type() === "beforeunload"
    if (!isLeaving) add(`dialog (${dialog.type()}), dismissed: ${dialog.message()}`)
    if (++dialogs > MOST_DIALOGS) breakWith("it opened dialogs without end and was closed")
    void (isLeaving ? dialog.accept() : dialog.dismiss()).catch(() => {})
  })
  page.on("download", (download) => {
    add(`download refused: ${download.suggestedFilename()} from ${download.url()}`)
    void download.cancel().catch(() => {})
  })
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : ""
}

/** There is one window. What opens another is closed, and told. */
function closeWindows(context: BrowserContext, page: Page, notes: Notes, breakWith: (why: string) => void): void {
  let windows = 0
  context.on("page", (other) => {
    if (other === page) return
    if (++windows > MOST_WINDOWS) breakWith("it opened windows without end and was closed")
    void other
      .waitForURL((url) => url.href !== "about:blank", { timeout: 1000, waitUntil: "commit" })
      .catch(() => {})
      .then(() => notes.add(`A window with ${other.url()} was opened, and closed. Launch that address if you want it.`))
      .finally(() => other.close().catch(() => {}))
  })
}

/** Also at each hop of a redirect: whoever allowed one site has not allowed another. */
async function keepOnSite(cdp: CDPSession, reach: Reach, onStray: (address: string) => void): Promise<void> {
  const { frameTree } = await cdp.send("Page.getFrameTree")
  cdp.on("Fetch.requestPaused", ({ requestId, frameId, request }) => {
    const strays = frameId === frameTree.frame.id && !reach.isSameSite(request.url)
    if (strays) onStray(request.url.slice(0, 2000))
    const answer = strays
      ? cdp.send("Fetch.failRequest", { requestId, errorReason: "Aborted" })
      : cdp.send("Fetch.continueRequest", { requestId })
    void answer.catch(() => {})
  })
  await cdp.send("Fetch.enable", { patterns: [{ resourceType: "Document" }] })
}

async function closeContext(context: BrowserContext): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS)
  })
  await Promise.race([context.close().catch(() => {}), late])
  clearTimeout(timer)
}
