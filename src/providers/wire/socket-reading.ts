/** For tests of wires: replies as they would come over the network, each over a real socket, read by a connected model. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Chunk } from "../../types/chunk.ts"
import type { ModelRequest } from "../../types/model.ts"
import { connectModel } from "../connect.ts"
import { joinPieces } from "../join-pieces.ts"
import type { Target } from "../target.ts"

const request: ModelRequest = { system: "", messages: [{ role: "user", content: [{ type: "text", text: "do it" }] }], tools: [] }

/** What a row expects, as it looks when all of it came in one read: over a socket nobody knows what comes together. */
export function inOneRead(expected: readonly object[]): object[] {
  return [...joinPieces(expected as readonly Chunk[])]
}

/** The n-th request gets the n-th reply, each with its own content type. */
export async function readOverSocket(target: Target, replies: readonly string[], type: string): Promise<Chunk[][]> {
  let next = 0
  const server = createServer((incoming, response) => {
    incoming.resume().on("end", () => response.writeHead(200, { "content-type": type }).end(replies[next++]))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const timers = { headersMs: 60_000, firstTokenMs: 60_000, betweenChunksMs: 60_000 }
  const model = connectModel({ ...target, baseUrl, timers })
  try {
    const read: Chunk[][] = []
    for (const _ of replies) {
      const chunks: Chunk[] = []
      for await (const piece of model.stream(request, new AbortController().signal)) chunks.push(...piece)
      read.push([...joinPieces(chunks)])
    }
    return read
  } finally {
    server.close()
    server.closeAllConnections()
  }
}
