/**
 * Talks to a server through its standard input and output, a JSON-RPC message per line. Reading is linear and bounded; what is no message
 * (noise on standard output) goes to the log and hurts nobody.
 */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import type { ServerProcess } from "../types/mcp.ts"

/** How an end is told that was ours. */
export const CLOSED = "it was closed"
export const LARGEST_MESSAGE = 32 * 1024 * 1024

export interface StdioPorts {
  start(): Promise<ServerProcess>
  parse(line: string): JSONRPCMessage
  /** A line on standard output that is no message, or what went wrong. */
  log(text: string): void
  /** In words: why there is no process any more. */
  onEnd(how: string): void
}

/** `stderr` and `pid` tell the client package that this is a local pipe. */
export type StdioTransport = Transport & { readonly stderr: null; readonly pid: number | null }

export function stdioTransport({ start, parse, log, onEnd }: StdioPorts): StdioTransport {
  let child: ServerProcess | undefined
  let closed = false
  const end = (how: string) => {
    if (closed) return
    closed = true
    onEnd(how)
    transport.onclose?.()
  }
  const take = (line: string) => {
    if (line.trim() === "") return
    try {
      transport.onmessage?.(parse(line))
    } catch (error) {
      log(`[no message] ${line.slice(0, 500)}`)
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)))
    }
  }
  const transport: StdioTransport = {
    stderr: null,
    get pid() {
      return child?.pid ?? null
    },
    async start() {
      child = await start()
      child.onOutput(
        lineReader(take, () => {
          end(`it sent a message of more than ${LARGEST_MESSAGE / 1024 / 1024} MB`)
          void child?.end()
        }),
      )
      void child.ended.then(end)
    },
    async send(message) {
      if (!child || closed) throw new Error("The server is not running.")
      await child.write(`${JSON.stringify(message)}\n`)
    },
    async close() {
      end(CLOSED)
      await child?.end()
    },
  }
  return transport
}

/** Whole lines out of bytes as they come; the bytes of an unfinished line are kept as they are and joined once. */
export function lineReader(
  take: (line: string) => void,
  onTooLong: () => void,
  most = LARGEST_MESSAGE,
): (bytes: Uint8Array) => void {
  let parts: Uint8Array[] = []
  let held = 0
  let broken = false
  const keep = (part: Uint8Array) => {
    held += part.length
    if (held <= most) parts.push(part)
    else {
      broken = true
      parts = []
      onTooLong()
    }
  }
  return (bytes) => {
    let from = 0
    while (!broken) {
      const at = bytes.indexOf(10, from)
      if (at === -1) break
      keep(bytes.subarray(from, at))
      if (broken) return
      const line = Buffer.concat(parts).toString("utf8")
      parts = []
      held = 0
      from = at + 1
      take(line)
    }
    if (!broken && from < bytes.length) keep(bytes.subarray(from))
  }
}
