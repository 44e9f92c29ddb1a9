/**
 * One pace for all requests of a process to the same server with the same key: at most so many at once, first come, first served, and
 * after the server asked for a pause nobody asks it before that is over. Then one goes first; the others follow when it is answered.
 * A pause that is not worth waiting for is answered with the server's own fault, without a request, so that another model can take over.
 */
import type { Chunk } from "../types/chunk.ts"
import type { Fault } from "../types/fault.ts"
import type { Model } from "../types/model.ts"
import { enter, openQueue, type Pass, type Queue, type Timing } from "./queue.ts"

/** What is shared: whoever goes elsewhere, or has another key, keeps another pace. */
export interface Endpoint {
  server: string
  key?: string | undefined
  /** Requests at once. */
  atOnce?: number | undefined
}

export interface Paces {
  /** The same model, keeping the pace of this endpoint. */
  keep(model: Model, endpoint: Endpoint): Model
}

const AT_ONCE = 8

export function paces(timing?: Timing): Paces {
  const queues = new Map<string, Queue>()
  return {
    keep(model, { server, key = "", atOnce = AT_ONCE }) {
      const name = `${server}\n${key}`
      const queue = queues.get(name) ?? openQueue(atOnce, timing)
      queues.set(name, queue)
      return {
        id: model.id,
        endsSilently: model.endsSilently,
        get facts() {
          return model.facts
        },
        ready: async (signal) => model.ready?.(signal),
        stream(request, signal, onWait) {
          const send = () => model.stream(request, signal, onWait)
          const entered = enter(queue, signal, onWait)
          // Whoever need not wait sends at once, not when the first chunk is asked for.
          return entered instanceof Promise ? afterwards(entered.then((pass) => follow(send, pass))) : follow(send, entered)
        },
      }
    },
  }
}

async function* afterwards(reply: Promise<AsyncIterable<readonly Chunk[]>>): AsyncGenerator<readonly Chunk[]> {
  yield* await reply
}

function follow(send: () => AsyncIterable<readonly Chunk[]>, pass: Pass | Fault | undefined): AsyncIterable<readonly Chunk[]> {
  if (pass === undefined) return nothing()
  return "kind" in pass ? failed(pass) : heard(send(), pass)
}

async function* nothing(): AsyncGenerator<readonly Chunk[]> {}

async function* failed(fault: Fault): AsyncGenerator<readonly Chunk[]> {
  yield [{ type: "fail", fault }]
}

async function* heard(reply: AsyncIterable<readonly Chunk[]>, pass: Pass): AsyncGenerator<readonly Chunk[]> {
  try {
    for await (const chunks of reply) {
      const last = chunks.at(-1)
      if (last?.type === "fail") pass.refused(last.fault)
      else pass.answered()
      yield chunks
    }
  } finally {
    pass.leave()
  }
}
