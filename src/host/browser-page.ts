/**
 * What is done with a page, each thing bounded in time. What is said of it (its picture, its outline, what it printed) is taken after it
 * has come to rest, or when it will not.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { ActOptions, BrowserAction, PageSeen, Size, Target } from "../types/browser.ts"
import { HostError } from "../types/host.ts"
import { OUTLINE_SCRIPT, outlineText, placeScript, readOutline } from "./browser-outline.ts"
import type { Session } from "./browser-session.ts"

/** In milliseconds. */
export interface Patience {
  /** For a page to be loaded. */
  load: number
  /** For one small thing asked of a page that is there. */
  answer: number
  /** For a page to come to rest; then it is taken as it is. */
  rest: number
}

/** A page rests when nothing has happened for so long. */
const QUIET_MS = 300
const LOOK_MS = 50
const SILENCE = "The page does not answer: it is too large, or a script of it never ends. Launch another, or close it."
/** Typed key by key up to here, put in at once beyond. */
const MOST_KEYS = 500

export interface Live extends Session {
  patience: Patience
}

/** Says how it came out where it did not come out well but there is a page. */
export async function open(session: Live, url: string, { signal }: ActOptions): Promise<string | undefined> {
  const { page, refusals, notes, patience } = session
  session.strayed()
  notes.take() // of the page before
  try {
    await before(signal, page.goto(url, { waitUntil: "domcontentloaded", timeout: patience.load }))
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    const said = error instanceof Error ? error.message : String(error)
    const strayed = session.strayed()
    if (strayed) throw new HostError("other", `${url} leads to another site, ${strayed}. Launch that address if you want it.`)
    if (/Timeout .* exceeded/.test(said))
      return `It was not loaded after ${patience.load / 1000} seconds; this is what there is so far.`
    if (/Download is starting/.test(said)) throw new HostError("other", `${url} is a download, not a page; it was refused.`)
    const why = session.broken() ?? refusals.get(new URL(url).host) ?? /net::(ERR_\w+)/.exec(said)?.[1] ?? said.split("\n")[0]
    notes.take()
    throw new HostError("other", `${url} cannot be opened: ${why}`)
  }
}

export type PageAction = Exclude<BrowserAction, { action: "launch" | "close" }>

export async function perform(session: Live, action: PageAction, signal: AbortSignal, size: Size): Promise<void> {
  const { page } = session
  const { mouse, keyboard } = page
  const point = (target: Target) => placeOf(session, target, signal, size)
  const within = <T>(work: Promise<T>) => answered(session, work, signal)
  switch (action.action) {
    case "click": {
      const { x, y } = await point(action.at)
      return within(mouse.click(x, y))
    }
    case "hover": {
      const { x, y } = await point(action.at)
      return within(mouse.move(x, y))
    }
    case "type":
      return within(action.text.length > MOST_KEYS ? keyboard.insertText(action.text) : keyboard.type(action.text))
    case "press":
      return within(keyboard.press(action.key).catch((error) => Promise.reject(unknownKey(error, action.key))))
    case "scroll_down":
    case "scroll_up": {
      await within(mouse.move(size.width / 2, size.height / 2))
      return within(mouse.wheel(0, (action.action === "scroll_down" ? 0.9 : -0.9) * size.height))
    }
    case "resize":
      return within(page.setViewportSize(size))
    case "screenshot":
      return
  }
}

function unknownKey(error: unknown, key: string): unknown {
  const isUnknown = error instanceof Error && /Unknown key/.test(error.message)
  return isUnknown
    ? new HostError("other", `There is no key named ${key.slice(0, 50)}; use names such as Enter, Tab, Control+A.`)
    : error
}

async function placeOf(session: Live, target: Target, signal: AbortSignal, size: Size): Promise<{ x: number; y: number }> {
  if (!("element" in target)) {
    const { of = size } = target
    const [x, y] = [(target.x * size.width) / of.width, (target.y * size.height) / of.height]
    if (x >= 0 && y >= 0 && x <= size.width && y <= size.height) return { x, y }
    throw new HostError(
      "other",
      `${target.x},${target.y} is not on the page, which is ${size.width}x${size.height}; scroll first.`,
    )
  }
  const found = await answered(session, inPage(session, placeScript(target.element)), signal)
  const { x, y } =
    typeof found === "object" && found !== null && "x" in found && "y" in found ? found : { x: undefined, y: undefined }
  if (typeof x === "number" && typeof y === "number") return { x, y }
  throw new HostError("other", `There is no element ${target.element} on the page now; take its number from the latest outline.`)
}

/** In a world of its own: what the page's scripts have done to theirs is not seen there. */
async function inPage({ cdp, patience }: Live, expression: string): Promise<unknown> {
  const { frameTree } = await cdp.send("Page.getFrameTree")
  const { executionContextId } = await cdp.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id, worldName: "joey" })
  const { result, exceptionDetails } = await cdp.send("Runtime.evaluate", {
    expression,
    contextId: executionContextId,
    returnByValue: true,
    timeout: patience.answer * 0.8,
  })
  return exceptionDetails ? undefined : result.value
}

export async function look(
  session: Live,
  { signal, image }: ActOptions,
  size: Size,
  { late, pending = 0 }: { late?: string | undefined; pending?: number },
): Promise<PageSeen & { answers: boolean }> {
  const { page, cdp, notes } = session
  await rest(session, signal, pending)
  const seen = await answered(session, inPage(session, OUTLINE_SCRIPT), signal).then(readOutline, silent(signal))
  const picture =
    image !== "none" && seen
      ? await answered(session, cdp.send("Page.captureScreenshot", { format: image, quality: 70 }), signal).catch(silent(signal))
      : undefined
  const why = session.broken()
  const problem = why ? `The page is not there any more: ${why}.` : seen ? late : SILENCE
  return {
    answers: seen !== undefined,
    url: page.url(),
    title: seen?.title ?? "",
    size,
    ...(picture && { image: { mediaType: `image/${image}`, data: picture.data } }),
    outline: seen ? outlineText(seen) : "",
    messages: [...(problem ? [problem] : []), ...notes.take()],
  }
}

/** Whoever called it off hears that; anything else is silence. */
function silent(signal: AbortSignal): () => undefined {
  return () => {
    signal.throwIfAborted()
    return undefined
  }
}

async function rest(session: Live, signal: AbortSignal, pending: number): Promise<void> {
  const deadline = Date.now() + session.patience.rest
  const began = Date.now()
  while (Date.now() < deadline && !session.broken()) {
    const quietSince = Math.max(began, session.stirredAt())
    if (session.loading() <= pending && Date.now() - quietSince >= QUIET_MS) return
    await sleep(LOOK_MS, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

async function answered<T>({ patience }: Live, work: Promise<T>, signal: AbortSignal): Promise<T> {
  const late = AbortSignal.timeout(patience.answer)
  try {
    return await before(AbortSignal.any([signal, late]), work)
  } catch (error) {
    signal.throwIfAborted()
    if (late.aborted) throw new HostError("other", SILENCE)
    if (error instanceof HostError) throw error
    throw new HostError(
      "other",
      `The page could not do that: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`,
    )
  }
}

/** What the work comes to is heard no more once the signal aborts. */
export function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason)
    if (signal.aborted) leave()
    signal.addEventListener("abort", leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave))
  })
}
