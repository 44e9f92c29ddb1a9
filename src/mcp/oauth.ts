/**
 * Sign-ins as connections use them: the token of a server, renewed in time and only once however many ask. Nobody is asked here; whoever has to
 * sign in is told to run `joey mcp login`.
 */
import type { AuthProvider, FetchLike } from "@modelcontextprotocol/client"
import type { ServerEntry } from "../types/mcp.ts"
import { guardedFetch } from "./oauth-address.ts"
import { clientAt, type WrittenOAuth, writtenOAuth } from "./oauth-client.ts"
import { openTokenStore, type SignIn, type TokenStore } from "./token-store.ts"

export interface SignInOptions {
  /** Joey's own folder. */
  home: string
  fetch?: FetchLike
  now?(): number
}

/**
 * The package's smaller contract on purpose: with the larger one its transports send the headers of the configuration to whatever authorization
 * server a server names.
 */
export interface ServerAuthorization extends AuthProvider {
  /** Around the fetch of a transport: sees which token was refused, and which rights were missing, for the next sign-in. */
  watch(fetch: FetchLike): FetchLike
}

/** Renewed so long before its end. */
const AHEAD_MS = 60_000
const LONGEST_SCOPE = 2_000

/** undefined where nobody signs in: a program, or a server with an `Authorization` header of the person's own. */
export async function authProvider(entry: ServerEntry, options: SignInOptions): Promise<ServerAuthorization | undefined> {
  const { start } = entry
  if (start.kind === "stdio" || hasOwnAuthorization(start.headers)) return undefined
  const { home, fetch = globalThis.fetch, now = Date.now } = options
  const { url } = start
  const store = openTokenStore(home)
  const refused = new WeakMap<Response, string>()
  let last = ""
  let renewing: Promise<void> | undefined
  const renewOnce = (token: string) => {
    renewing ??= renew({ store, url, written: writtenOAuth(entry), fetch, now }, token).finally(() => {
      renewing = undefined
    })
    return renewing
  }
  const current = async () => (await store.read()).servers[url]
  return {
    async token() {
      const signIn = await current()
      const token = signIn?.tokens?.access_token
      if (!signIn || token === undefined) return undefined
      const isEnding = signIn.expiresAt !== undefined && signIn.expiresAt - now() < AHEAD_MS
      if (isEnding && signIn.tokens?.refresh_token) await renewOnce(token).catch(() => {}) // then the server decides
      last = (await current())?.tokens?.access_token ?? token
      return last
    },
    onUnauthorized: async ({ response }) => renewOnce(refused.get(response) ?? last),
    watch: (base) => async (address, init) => {
      const response = await base(address, init)
      if (response.status === 401) refused.set(response, bearerOf(init?.headers))
      if (response.status === 403) await noteMissingRights(store, url, response)
      return response
    },
  }
}

export function hasOwnAuthorization(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization")
}

interface Renewal {
  store: TokenStore
  url: string
  written: WrittenOAuth
  fetch: FetchLike
  now(): number
}

/** Rejects with UnauthorizedError when only the person can help. */
async function renew({ store, url, written, fetch, now }: Renewal, refused: string): Promise<void> {
  const { UnauthorizedError, OAuthError, refreshAuthorization } = await import("@modelcontextprotocol/client")
  await store.alone(url, async () => {
    const stored = await store.read()
    const signIn = stored.servers[url]
    if (signIn?.tokens && signIn.tokens.access_token !== refused) return // somebody was quicker
    const refreshToken = signIn?.tokens?.refresh_token
    const client = signIn && clientAt(signIn.issuer, written, stored)
    if (!signIn || !refreshToken || !client) throw new UnauthorizedError()
    const { authorizationServerUrl, authorizationServerMetadata, resourceMetadata } = signIn.discovery
    try {
      const tokens = await refreshAuthorization(authorizationServerUrl, {
        clientInformation: client,
        refreshToken,
        fetchFn: guardedFetch(fetch, url),
        ...(authorizationServerMetadata && { metadata: authorizationServerMetadata }),
        ...(resourceMetadata && { resource: resourceMetadata.resource }),
      })
      const scope = tokens.scope ?? signIn.tokens?.scope
      await store.change(({ servers }) => {
        servers[url] = signedIn({ ...signIn, tokens: { ...tokens, ...(scope && { scope }), issuer: signIn.issuer } }, now())
      })
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error
      if (!REFUSED.has(error.code)) throw new Error(`the sign-in could not be renewed (${error.code.slice(0, 60)})`)
      await store.change(({ servers }) => {
        const { tokens: _, expiresAt: __, ...rest } = signIn
        if (servers[url]?.tokens?.refresh_token === refreshToken) servers[url] = rest
      })
      throw new UnauthorizedError()
    }
  })
}

/** The authorization server does not know these any more. */
const REFUSED = new Set(["invalid_grant", "invalid_client", "unauthorized_client"])

/** With the time at which its token ends. */
export function signedIn(signIn: SignIn, now: number): SignIn {
  const { expiresAt: _, ...rest } = signIn
  const seconds = signIn.tokens?.expires_in
  return { ...rest, ...(seconds !== undefined && { expiresAt: now + seconds * 1000 }) }
}

async function noteMissingRights(store: TokenStore, url: string, response: Response): Promise<void> {
  const { computeScopeUnion, extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client")
  const { error, scope } = extractWWWAuthenticateParams(response)
  if (error !== "insufficient_scope" || !isScope(scope)) return
  const { servers } = await store.read()
  const wanted = computeScopeUnion(servers[url]?.wanted, scope) ?? ""
  if (!servers[url] || servers[url].wanted === wanted || wanted.length > LONGEST_SCOPE) return
  await store.change((stored) => {
    const signIn = stored.servers[url]
    if (signIn) stored.servers[url] = { ...signIn, wanted }
  })
}

export function isScope(scope: string | undefined): scope is string {
  return (
    scope !== undefined &&
    scope.length <= LONGEST_SCOPE &&
    /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(scope)
  )
}

function bearerOf(headers: RequestInit["headers"]): string {
  return new Headers(headers).get("authorization")?.replace(/^\w+ /, "") ?? ""
}
