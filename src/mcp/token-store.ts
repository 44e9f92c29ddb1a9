/**
 * Sign-ins at servers, in one file that only the person can read: tokens by the server's address, registrations by the authorization server that
 * gave them. Whoever changes something reads again under a lock, because another Joey may have written meanwhile. Nothing of it is ever logged.
 */
import { createHash, randomUUID } from "node:crypto"
import { chmod, type FileHandle, mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client"

export interface SignIn {
  issuer: string
  tokens?: StoredOAuthTokens
  /** Milliseconds since 1970; unknown when the authorization server did not say. */
  expiresAt?: number
  /** Where it can be renewed. */
  discovery: OAuthDiscoveryState
  /** What the server said was missing; asked for with the next sign-in. */
  wanted?: string
}

export interface Stored {
  /** By address of the server. */
  servers: Record<string, SignIn | undefined>
  /** By issuer: a registration is worth something only at the one who gave it. */
  clients: Record<string, StoredOAuthClientInformation | undefined>
}

export interface TokenStore {
  /** Nothing in it when the file is missing or damaged. */
  read(): Promise<Stored>
  change<Value>(edit: (stored: Stored) => Value): Promise<Value>
  /** Only one at a time, over all processes: a refresh token often counts once. */
  alone<Value>(server: string, work: () => Promise<Value>): Promise<Value>
}

const LARGEST = 4 * 1024 * 1024
const STALE_MS = 60_000
const PAUSE_MS = 40

/** `home` is Joey's own folder. */
export function openTokenStore(home: string): TokenStore {
  const folder = join(home, "mcp")
  const file = join(folder, "tokens.json")
  return {
    read: async () => (await readStored(file)).stored,
    change: (edit) =>
      locked(folder, `${file}.lock`, async () => {
        const { stored, damaged } = await readStored(file)
        if (damaged) await rename(file, `${file}.damaged`)
        const value = edit(stored)
        await writeStored(file, stored)
        return value
      }),
    alone: (server, work) =>
      locked(folder, join(folder, `renewal-${createHash("sha256").update(server).digest("hex").slice(0, 16)}.lock`), work),
  }
}

async function readStored(file: string): Promise<{ stored: Stored; damaged: boolean }> {
  const nothing = (damaged: boolean) => ({ stored: { servers: {}, clients: {} }, damaged })
  let text: string
  try {
    const { size, mode } = await stat(file)
    if (size > LARGEST) return nothing(true)
    if ((mode & 0o077) !== 0) await chmod(file, 0o600) // somebody copied it here, or restored it
    text = await readFile(file, "utf8")
  } catch {
    return nothing(false)
  }
  try {
    const { servers, clients } = JSON.parse(text)
    return { stored: { servers: entriesOf(servers, isSignIn), clients: entriesOf(clients, isClient) }, damaged: false }
  } catch {
    return nothing(true)
  }
}

function entriesOf<Value>(value: unknown, fits: (value: unknown) => value is Value): Record<string, Value> {
  if (!isRecord(value)) return {}
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, Value] => fits(entry[1])))
}

function isSignIn(value: unknown): value is SignIn {
  if (!isRecord(value)) return false
  const { issuer, tokens, discovery } = value
  if (typeof issuer !== "string" || !isRecord(discovery) || typeof discovery["authorizationServerUrl"] !== "string") return false
  return tokens === undefined || (isRecord(tokens) && typeof tokens["access_token"] === "string")
}

function isClient(value: unknown): value is StoredOAuthClientInformation {
  return isRecord(value) && typeof value["client_id"] === "string"
}

/** Whole or not at all, and never readable for others, not even for a moment. */
async function writeStored(file: string, stored: Stored): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  try {
    await writeFile(draft, `${JSON.stringify({ version: 1, ...stored }, null, 2)}\n`, { flag: "wx", mode: 0o600, flush: true })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

async function locked<Value>(folder: string, lock: string, work: () => Promise<Value>): Promise<Value> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const held = await take(lock)
  try {
    return await work()
  } finally {
    await held.close()
    await rm(lock, { force: true })
  }
}

async function take(lock: string): Promise<FileHandle> {
  for (;;) {
    try {
      return await open(lock, "wx", 0o600)
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
    }
    const since = await stat(lock).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (since > STALE_MS)
      await rm(lock, { force: true }) // its owner was killed
    else await sleep(PAUSE_MS)
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
