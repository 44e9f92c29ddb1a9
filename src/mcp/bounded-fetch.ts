/** A fetch whose answers end: a body, or one event of a stream of events, that grows past all bounds is broken off with one clear line. */
import type { FetchLike } from "@modelcontextprotocol/client"
import { LARGEST_MESSAGE } from "./stdio-transport.ts"

export function boundedFetch(fetch: FetchLike, most = LARGEST_MESSAGE): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (!response.body) return response
    const isEvents = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")
    const body = response.body.pipeThrough(countedStream(most, isEvents))
    const bounded = new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers })
    Object.defineProperty(bounded, "url", { value: response.url })
    Object.defineProperty(bounded, "redirected", { value: response.redirected })
    return bounded
  }
}

/** Events are parted by an empty line: counting begins anew there. */
function countedStream(most: number, parted: boolean): TransformStream<Uint8Array, Uint8Array> {
  let count = 0
  let lineIsEmpty = false
  const add = (bytes: Uint8Array) => {
    if (!parted) {
      count += bytes.length
      return
    }
    for (const byte of bytes) {
      count++
      if (byte === 10) {
        if (lineIsEmpty) count = 0
        lineIsEmpty = true
      } else if (byte !== 13) lineIsEmpty = false
    }
  }
  return new TransformStream({
    transform(bytes, controller) {
      add(bytes)
      if (count > most) controller.error(new Error(`The server sent more than ${Math.round(most / 1024 / 1024)} MB at once.`))
      else controller.enqueue(bytes)
    },
  })
}
