/** A page in a real browser, as a port. One per task, started with the first call that needs it. */

/** In pixels of the page as it is shown, from its top left corner. */
export interface Point {
  x: number
  y: number
  /** The picture it was measured on, when that has not the size of the page. */
  of?: Size
}

export interface Size {
  width: number
  height: number
}

/** A place, or the number that the outline gave to something. */
export type Target = Point | { element: number }

export type BrowserAction =
  | { action: "launch"; url: string }
  | { action: "click" | "hover"; at: Target }
  | { action: "type"; text: string }
  | { action: "press"; key: string }
  | { action: "scroll_down" | "scroll_up" }
  | ({ action: "resize" } & Size)
  | { action: "screenshot" }
  | { action: "close" }

export interface PageSeen {
  /** Where the page is now, after redirects. */
  url: string
  title: string
  size: Size
  /** Absent when it was not wanted or could not be taken, and after close. */
  image?: { mediaType: string; data: string }
  /** What the page says and what can be clicked and typed into, each with its number and place: for models that see no images. */
  outline: string
  /** Since the last action: console messages, failed requests, dialogs that were dismissed, downloads that were refused. */
  messages: string[]
}

export interface ActOptions {
  signal: AbortSignal
  /** The picture that is wanted. */
  image: "jpeg" | "png" | "none"
}

export interface BrowserPort {
  /** Rejects with a HostError in one line: no browser on this machine, an address that is not allowed, no page open. */
  act(action: BrowserAction, options: ActOptions): Promise<PageSeen>
  /** Where the page is; undefined while none is open. */
  address(): string | undefined
  /** Ends the browser with everything it started. */
  close(): Promise<void>
}
