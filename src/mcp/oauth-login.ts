/**
 * `joey mcp login` and `logout`: a person signs in at a server with their browser, through PKCE and a way back to this machine. The protocol is the
 * client package's; here stand the questions to people and the distrust. Both say one line, or throw a ToolError of one line.
 */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import type { FetchLike, OAuthServerInfo } from "@modelcontextprotocol/client"
import { oneLine } from "../text/fence.ts"
import { printable } from "../text/printable.ts"
import { truncate } from "../text/truncate.ts"
import type { ServerEntry } from "../types/mcp.ts"
import { ToolError } from "../types/tool.ts"
import { connect } from "./connection.ts"
import { openEras } from "./eras.ts"
import { failureOf } from "./failure.ts"
import { hasOwnAuthorization, isScope, type SignInOptions, signedIn } from "./oauth.ts"
import { checkAddress, guardedFetch } from "./oauth-address.ts"
import { type Callback, listenForCallback } from "./oauth-callback.ts"
import {
  type Attempt,
  clientAt,
  fitsCallback,
  registeredPort,
  signInAttempt,
  type WrittenOAuth,
  writtenOAuth,
} from "./oauth-client.ts"
import { serverName } from "./result.ts"
import { openTokenStore, type SignIn, type Stored } from "./token-store.ts"

export interface LoginOptions extends SignInOptions {
  tell(line: string): void
  /** Shows a page in the person's browser; whatever comes of it, the address is told too. */
  open?(page: string): unknown
  signal: AbortSignal
  timeoutMs?: number
}

const PATIENCE_MS = 5 * 60_000
const REVOKING_MS = 5_000
const MOST_KEPT = 64 * 1024

export async function login(entry: ServerEntry, options: LoginOptions): Promise<string> {
  const url = addressOf(entry)
  try {
    return await signIn(entry, url, options)
  } catch (error) {
    if (error instanceof ToolError) throw error
    throw new ToolError(`${serverName(entry.name)}: signing in failed. ${wordsOf(error)}`)
  }
}

async function signIn(entry: ServerEntry, url: string, options: LoginOptions): Promise<string> {
  const { home, fetch = globalThis.fetch, now = Date.now, signal } = options
  const { auth, discoverOAuthServerInfo } = await import("@modelcontextprotocol/client")
  const written = writtenOAuth(entry)
  const fetchFn = guardedFetch(fetch, url, signal)
  const store = openTokenStore(home)
  const challenge = await challengeOf(entry, home, signal)
  const resource = challenge?.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }
  const info = await discoverOAuthServerInfo(url, { fetchFn, ...resource })
  if (!challenge && !info.resourceMetadata) throw new ToolError(`${serverName(entry.name)} asks nobody to sign in.`)
  checkEndpoints(info, url)
  checkSize(info)
  const issuer = info.authorizationServerMetadata?.issuer ?? info.authorizationServerUrl
  const stored = await store.read()
  const before = stored.servers[url]
  checkIssuer(entry, written, { before, issuer })
  const { attempt, callback } = await prepare({ url, written, stored, issuer, info })
  try {
    const scope = scopeOf(written, before, challenge?.scope)
    const common = { serverUrl: url, fetchFn, ...resource, ...(scope && { scope }) }
    await auth(attempt.provider, { ...common, forceReauthorization: true })
    const { code, iss } = await askPerson(entry, attempt, callback, options)
    await auth(attempt.provider, { ...common, authorizationCode: code, ...(iss && { iss }) })
  } finally {
    callback.close()
  }
  const { tokens, client } = attempt
  if (!tokens) throw new Error("The authorization server gave no token.")
  checkSize({ tokens, client })
  await store.change(({ servers, clients }) => {
    if (client && !written.clientId) clients[issuer] = client
    const wanted = before?.wanted
    servers[url] = signedIn({ issuer, tokens, discovery: info, ...(wanted && { wanted }) }, now())
  })
  return `Signed in at ${quoted(entry.name)} (${new URL(issuer).host}).`
}

/** Throws a ToolError where nobody can sign in. */
function addressOf({ name, start, file }: ServerEntry): string {
  if (start.kind === "stdio") throw new ToolError(`${serverName(name)} is a program on this machine; nobody signs in there.`)
  if (hasOwnAuthorization(start.headers)) {
    throw new ToolError(`${serverName(name)} has an Authorization header of its own in ${file}; change or remove it there.`)
  }
  try {
    checkAddress(`The address of ${quoted(name)}`, start.url, start.url)
  } catch (error) {
    throw new ToolError(wordsOf(error))
  }
  return start.url
}

interface Challenge {
  resourceMetadataUrl?: URL
  scope?: string
}

/** What the server says when somebody comes without a token; undefined when it lets them in. */
async function challengeOf(entry: ServerEntry, home: string, signal: AbortSignal): Promise<Challenge | undefined> {
  const { extractWWWAuthenticateParams, UnauthorizedError } = await import("@modelcontextprotocol/client")
  let challenge: Challenge | undefined
  const authorization = async () => ({
    token: async () => undefined,
    async onUnauthorized({ response }: { response: Response }) {
      const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
      challenge = { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(isScope(scope) && { scope }) }
      throw new UnauthorizedError()
    },
  })
  const quiet = { log() {}, onEnd() {}, onListChanged() {}, elicit: async () => ({ action: "decline" as const }) }
  const processes = { start: () => Promise.reject(new Error("no program is needed")) }
  const eras = openEras(join(home, "mcp", "eras.json"))
  try {
    const client = await connect(entry, { ...quiet, processes, eras, version: "sign-in", authorization }, signal)
    await client.close().catch(() => {})
  } catch (error) {
    if (!challenge) throw new ToolError(`${serverName(entry.name)} ${failureOf(error).words}.`)
  }
  return challenge
}

function checkEndpoints({ authorizationServerUrl, authorizationServerMetadata: metadata }: OAuthServerInfo, url: string): void {
  checkAddress("The authorization server", authorizationServerUrl, url)
  if (!metadata) return
  checkAddress("The page to sign in", metadata.authorization_endpoint, url)
  checkAddress("The address for tokens", metadata.token_endpoint, url)
  if (metadata.registration_endpoint) checkAddress("The address for registrations", metadata.registration_endpoint, url)
}

/** It is all kept in one file with everybody else's. */
function checkSize(said: object): void {
  if (JSON.stringify(said).length > MOST_KEPT) throw new Error("What the authorization server says is too long to be kept.")
}

/** A secret that was meant for one authorization server must not be lured to another. */
function checkIssuer(
  { name, file }: ServerEntry,
  { issuer: meant, clientSecret }: WrittenOAuth,
  { before, issuer }: { before: SignIn | undefined; issuer: string },
): void {
  const names = `${serverName(name)} names the authorization server ${shown(issuer)}`
  if (meant !== undefined && meant !== issuer) throw new ToolError(`${names}, but in ${file} stands ${shown(meant)}.`)
  if (meant !== undefined || !clientSecret || !before || before.issuer === issuer) return
  const again = `joey mcp logout ${name}, and sign in again`
  throw new ToolError(`${names} now, before it was ${shown(before.issuer)}. If that is right: ${again}.`)
}

interface Preparing {
  url: string
  written: WrittenOAuth
  stored: Stored
  issuer: string
  info: OAuthServerInfo
}

async function prepare({ url, written, stored, issuer, info }: Preparing): Promise<{ attempt: Attempt; callback: Callback }> {
  const { clientId, callbackPort, clientMetadataUrl } = written
  const known = clientAt(issuer, written, stored)
  const state = randomBytes(24).toString("base64url")
  const port = callbackPort ?? registeredPort(known)
  const callback = await listenForCallback({ state, port, mustBe: callbackPort !== undefined })
  const client = clientId || fitsCallback(known, callback.url) ? known : undefined
  const attempt = signInAttempt({ server: url, callback: callback.url, state, client, clientMetadataUrl, discovery: info })
  return { attempt, callback }
}

/** What the person wrote, or what the server asks for; and what was missing the last time, without giving up what there was. */
function scopeOf({ scope }: WrittenOAuth, before: SignIn | undefined, asked: string | undefined): string | undefined {
  const base = scope ?? asked
  const scopes = before?.wanted ? [before.tokens?.scope, base, before.wanted] : [base]
  const words = scopes.flatMap((each) => each?.split(" ") ?? []).filter((each) => each !== "")
  return words.length === 0 ? undefined : [...new Set(words)].join(" ")
}

async function askPerson(
  entry: ServerEntry,
  { page }: Attempt,
  callback: Callback,
  { tell, open, signal, timeoutMs = PATIENCE_MS }: LoginOptions,
): Promise<{ code: string; iss?: string }> {
  if (!page) throw new Error("There is no page to sign in.")
  tell(`Sign in at ${quoted(entry.name)} with your browser, at ${page.host}:`)
  tell(page.href)
  const opened = (async () => open?.(page.href))()
  opened.catch(() => {}) // the address is on the screen
  const parameters = await callback.answer({ timeoutMs, signal })
  const code = parameters.get("code")
  const iss = parameters.get("iss")
  if (code) return { code, ...(iss && { iss }) }
  const error = parameters.get("error") ?? ""
  throw new Error(error === "access_denied" ? "It was refused at the page." : `The page answered: ${shown(error) || "nothing"}.`)
}

/** Also tells the authorization server, where it wants to know; nobody waits long for that. */
export async function logout(entry: ServerEntry, { home, fetch = globalThis.fetch }: SignInOptions): Promise<string> {
  const url = entry.start.kind === "stdio" ? addressOf(entry) : entry.start.url
  const store = openTokenStore(home)
  const stored = await store.read()
  const before = stored.servers[url]
  if (!before) return `Nobody is signed in at ${quoted(entry.name)}.`
  await store.change(({ servers, clients }) => {
    delete servers[url]
    if (!Object.values(servers).some((other) => other?.issuer === before.issuer)) delete clients[before.issuer]
  })
  const client = clientAt(before.issuer, writtenOAuth(entry), stored)
  await revoke(before, client?.client_id, guardedFetch(fetch, url, AbortSignal.timeout(REVOKING_MS))).catch(() => {})
  return `Signed out at ${quoted(entry.name)}.`
}

async function revoke({ discovery, tokens }: SignIn, client: string | undefined, fetchFn: FetchLike): Promise<void> {
  const metadata = discovery.authorizationServerMetadata
  const endpoint = metadata && "revocation_endpoint" in metadata ? metadata.revocation_endpoint : undefined
  const token = tokens?.refresh_token ?? tokens?.access_token
  if (typeof endpoint !== "string" || !token || !client) return
  const body = new URLSearchParams({ token, client_id: client })
  const response = await fetchFn(endpoint, { method: "POST", body, redirect: "error" })
  await response.body?.cancel()
}

/** Without what an authorization server wrote in a body: it may hold anything. */
function wordsOf(error: unknown): string {
  const { kind, words } = failureOf(error)
  if (kind === "unreachable") return `The authorization server ${words}.`
  const message = error instanceof Error ? error.message : String(error)
  return shown(message.replace(/(?:: SyntaxError.*?)?\.? ?Raw body:[\s\S]*/, ""))
}

function shown(text: string): string {
  return truncate(oneLine(printable(text)), 300)
}

function quoted(name: string): string {
  return `"${truncate(oneLine(printable(name)), 60)}"`
}
