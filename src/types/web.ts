/** Web pages as a port. */

export interface FetchedPage {
  /** After redirects. */
  url: string
  status: number
  /** Empty when the server does not say. */
  contentType: string
  /** Unpacked. */
  body: Uint8Array
  /** The limit of bytes ended it. */
  cut: boolean
  /** It leads to another site, where it was not followed: whoever allowed this address has not allowed that one. */
  redirect?: string
}

export interface WebPort {
  /** Only http(s) and, unless set otherwise, only public addresses. Rejects with a HostError or ToolError that says why not. */
  fetchPage(url: string, options: { signal: AbortSignal }): Promise<FetchedPage>
}
