/**
 * Connects to one server and finds out which revision of the protocol it speaks: the stateless one is tried first, unless it is known that the
 * server speaks the older one. The client package is loaded here, with the first server that is started.
 */
import type { AuthProvider, Client, ElicitRequest, ElicitResult, FetchLike, Transport } from "@modelcontextprotocol/client"
import type { ServerEntry, ServerProcesses, ServerStart } from "../types/mcp.ts"
import { boundedFetch } from "./bounded-fetch.ts"
import { loadClientPackage } from "./client-package.ts"
import type { Eras } from "./eras.ts"
import { failureOf } from "./failure.ts"
import { letThrough } from "./raw-messages.ts"
import { TASKS_EXTENSION } from "./server-task.ts"
import { stdioTransport } from "./stdio-transport.ts"

export type ListKind = "tools" | "prompts" | "resources"

/** Gives the token; may also want to see what is answered. */
export type Authorization = AuthProvider & { watch?(fetch: FetchLike): FetchLike }

export interface ConnectionPorts {
  processes: ServerProcesses
  eras: Eras
  version: string
  /** Who signs in at an address; undefined when nobody does. */
  authorization?(entry: ServerEntry): Promise<Authorization | undefined>
  log(text: string): void
  /** The connection is gone, in words. Also told when we closed it. */
  onEnd(how: string): void
  onListChanged(kind: ListKind): void
  elicit(params: ElicitRequest["params"]): Promise<ElicitResult>
}

/** Some servers are fetched from a registry when they first start. */
const STARTING_MS = 120_000
const PROBE_MS = 10_000
const DEBOUNCE_MS = 50
const MOST_ROUNDS = 10

/** Rejects with whatever went wrong; nothing is left behind then. */
export async function connect(entry: ServerEntry, ports: ConnectionPorts, signal: AbortSignal): Promise<Client> {
  const { start } = entry
  if (start.kind === "stdio") return connectStdio(entry, start, ports, signal)
  const known = start.kind === "sse" ? "legacy" : ports.eras.known(start)
  try {
    return await attempt(ports, await httpTransport(entry, start, start.kind, ports), { start, era: known, signal })
  } catch (error) {
    if (start.kind === "sse" || signal.aborted || !isOldServer(error)) throw error
    ports.log(`[joey] no streamable HTTP there (${failureOf(error).words}); the older way with events is tried`)
    return attempt(ports, await httpTransport(entry, start, "sse", ports), { start, era: "legacy", signal })
  }
}

/** A server of the older kind may end at the first word it does not know: it is started once more and spoken to in its way. */
async function connectStdio(
  entry: ServerEntry,
  start: ServerStart & { kind: "stdio" },
  ports: ConnectionPorts,
  signal: AbortSignal,
): Promise<Client> {
  const known = ports.eras.known(start)
  let ended = false
  const open = async () => {
    const { parseJSONRPCMessage } = await loadClientPackage()
    return stdioTransport({
      async start() {
        const child = await ports.processes.start(start, entry.name)
        child.onErrorOutput((bytes) => ports.log(new TextDecoder().decode(bytes)))
        return child
      },
      parse: (line) => parseJSONRPCMessage(JSON.parse(line)),
      log: ports.log,
      onEnd: (how) => {
        ended = true
        ports.onEnd(how)
      },
    })
  }
  try {
    return await attempt(ports, await open(), { start, era: known, signal })
  } catch (error) {
    if (known === "legacy" || !ended || signal.aborted || failureOf(error).kind === "unreachable") throw error
    return attempt(ports, await open(), { start, era: "legacy", signal })
  }
}

interface Attempt {
  start: ServerStart
  era: "modern" | "legacy" | undefined
  signal: AbortSignal
}

async function attempt(ports: ConnectionPorts, transport: Transport, { start, era, signal }: Attempt): Promise<Client> {
  const client = await clientFor(ports)
  const options = { timeout: STARTING_MS, signal, ...(era === "legacy" && { prior: { kind: "legacy" } as const }) }
  // The package listens for the signal only when it has found out what the server speaks.
  const stop = () => void transport.close().catch(() => {})
  signal.addEventListener("abort", stop, { once: true })
  try {
    await client.connect(letThrough(transport), options)
  } catch (error) {
    await client.close().catch(() => {})
    await transport.close().catch(() => {})
    throw error
  } finally {
    signal.removeEventListener("abort", stop)
  }
  const spoken = client.getProtocolEra()
  if (spoken && spoken !== era) ports.eras.learn(start, spoken)
  return client
}

async function clientFor(ports: ConnectionPorts): Promise<Client> {
  const { Client } = await loadClientPackage()
  const changed = (kind: ListKind) => ({
    autoRefresh: false,
    debounceMs: DEBOUNCE_MS,
    onChanged: () => ports.onListChanged(kind),
  })
  const client = new Client(
    { name: "joey", version: ports.version },
    {
      capabilities: { elicitation: { form: {}, url: {} }, extensions: { [TASKS_EXTENSION]: {} } },
      versionNegotiation: { mode: "auto", probe: { timeoutMs: PROBE_MS } },
      inputRequired: { maxRounds: MOST_ROUNDS },
      listChanged: { tools: changed("tools"), prompts: changed("prompts"), resources: changed("resources") },
      // What a server promises about its own results is not checked: its schema would have to be compiled for that.
      jsonSchemaValidator: { getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }) },
    },
  )
  client.setRequestHandler("elicitation/create", (request) => ports.elicit(request.params))
  client.setNotificationHandler("notifications/message", ({ params }) => {
    ports.log(`[${params.level}] ${typeof params.data === "string" ? params.data : JSON.stringify(params.data)}`)
  })
  client.onerror = (error) => ports.log(`[joey] ${error.message}`)
  return client
}

async function httpTransport(
  entry: ServerEntry,
  { url, headers }: ServerStart & { kind: "http" | "sse" },
  kind: "http" | "sse",
  ports: ConnectionPorts,
): Promise<Transport> {
  const { SSEClientTransport, StreamableHTTPClientTransport } = await loadClientPackage()
  const authProvider = await ports.authorization?.(entry)
  const bounded = boundedFetch(fetch)
  const options = {
    fetch: authProvider?.watch?.(bounded) ?? bounded,
    requestInit: { headers: { ...headers } },
    ...(authProvider && { authProvider }),
  }
  const transport =
    kind === "sse" ? new SSEClientTransport(new URL(url), options) : new StreamableHTTPClientTransport(new URL(url), options)
  transport.onclose = () => ports.onEnd("the connection was closed")
  return transport
}

/** It refuses what a server of streamable HTTP takes. */
function isOldServer(error: unknown): boolean {
  const { kind, words } = failureOf(error)
  return kind === "session-lost" || (kind === "refused" && /status (?:400|405|406)\b/.test(words))
}
