/**
 * Server-sent events: bytes in, the data of each whole event out. It can be fed at any byte boundary, reads each byte once
 * and accepts every line ending, comments, and a last event that nothing follows.
 */
import { StringDecoder } from "node:string_decoder"

export interface EventSplitter {
  push(bytes: Uint8Array): string[]
  end(): string[]
}

export function splitEvents(): EventSplitter {
  const decoder = new StringDecoder("utf8")
  let started = false
  /** The line that is still being received. It only grows at its end, and is read when its end has come. */
  let line = ""
  /** The last character was a carriage return, so that a line feed now would belong to it. */
  let afterReturn = false
  let data: string | undefined

  function endLine(events: string[], text: string): void {
    if (text === "") {
      if (data !== undefined) events.push(data)
      data = undefined
    } else if (text.startsWith("data:")) {
      const value = text.slice(text.charCodeAt(5) === 32 ? 6 : 5)
      data = data === undefined ? value : `${data}\n${value}`
    } else if (text.startsWith("error:")) {
      data = text.slice(6) // llama.cpp once reported errors as a field of this name
    }
  }

  function scan(text: string): string[] {
    const events: string[] = []
    let from = 0
    if (afterReturn && text !== "") {
      if (text.charCodeAt(0) === 10) from = 1
      afterReturn = false
    }
    let feed = text.indexOf("\n", from)
    let carriage = text.indexOf("\r", from)
    while (feed >= 0 || carriage >= 0) {
      const atReturn = carriage >= 0 && (feed < 0 || carriage < feed)
      const at = atReturn ? carriage : feed
      endLine(events, line === "" ? text.slice(from, at) : line + text.slice(from, at))
      line = ""
      from = at + 1
      if (atReturn) {
        if (from === text.length) afterReturn = true
        else if (feed === from) from++
        carriage = text.indexOf("\r", from)
      }
      if (feed >= 0 && feed < from) feed = text.indexOf("\n", from)
    }
    if (from < text.length) line += from === 0 ? text : text.slice(from)
    return events
  }

  function decoded(text: string): string {
    if (started || text === "") return text
    started = true
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  }

  return {
    push: (bytes) => scan(decoded(decoder.write(bytes))),
    end() {
      const events = scan(decoded(decoder.end()))
      endLine(events, line)
      endLine(events, "")
      line = ""
      return events
    },
  }
}
