/**
 * A small real authorization server and the MCP server it protects, on loopback, each on a port of its own. Its owner can make it lie: `edit` changes
 * any answer before it is sent.
 */
import { createHash, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { onTestFinished } from "vitest"

export interface Answer {
  status: number
  body: unknown
  headers: Record<string, string>
}

export interface OAuthServerOptions {
  /** What it asks for in a 401. */
  scope?: string
  /** Rights that only `call` needs, told with a 403. */
  callScope?: string
  /** Seconds a token lasts. */
  lasts?: number
  withRefresh?: boolean
  iss?: string
  edit?(path: string, answer: Answer): Answer
}

export interface OAuthServer {
  /** Of the MCP server. */
  readonly url: string
  readonly issuer: string
  /** Requests as `POST /token`, with what was sent. */
  readonly seen: { what: string; body: URLSearchParams; headers: IncomingMessage["headers"]; query: URLSearchParams }[]
  /** Bodies of registrations. */
  readonly registered: Record<string, unknown>[]
  /** Every access token that is good now. */
  readonly tokens: Map<string, { scope: string; refresh: string }>
  /** Plays the person's browser: opens the page, comes back to where it is sent. */
  browse(page: string): Promise<number>
}

interface Grant {
  challenge: string
  redirect: string
  client: string
  scope: string
}

export async function startOAuthServer(options: OAuthServerOptions = {}): Promise<OAuthServer> {
  const { edit = (_: string, answer: Answer) => answer } = options
  const seen: OAuthServer["seen"] = []
  const registered: OAuthServer["registered"] = []
  const tokens: OAuthServer["tokens"] = new Map()
  const codes = new Map<string, Grant>()
  const served = (answer: (request: IncomingMessage, path: string, query: URLSearchParams, body: string) => Answer) =>
    createServer(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost")
      const body = await bodyOf(request)
      seen.push({
        what: `${request.method} ${pathname}`,
        body: new URLSearchParams(body),
        headers: request.headers,
        query: searchParams,
      })
      send(response, edit(pathname, answer(request, pathname, searchParams, body)))
    })
  const authorization = served((_, path, query, body) => {
    if (path === "/.well-known/oauth-authorization-server") return json(metadataOf(issuer, options))
    if (path === "/register") return json(registration(registered, body), 201)
    if (path === "/authorize") return authorize(query, codes, options)
    if (path === "/token") return exchange(new URLSearchParams(body), codes, tokens, options)
    return path === "/revoke" ? json({}) : json({ error: "not_found" }, 404)
  })
  const resource = served(({ headers, method }, path, _, body) => {
    if (path.startsWith("/.well-known/oauth-protected-resource")) return json({ resource: url, authorization_servers: [issuer] })
    if (path !== "/mcp") return json({ error: "not_found" }, 404)
    const token = tokens.get(headers.authorization?.replace("Bearer ", "") ?? "")
    if (!token) return challenge(401, `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`, options.scope)
    if (method !== "POST") return { status: 405, body: "", headers: {} }
    const message = JSON.parse(body)
    const isMissing = options.callScope && message.method === "tools/call" && !token.scope.split(" ").includes(options.callScope)
    return isMissing ? challenge(403, 'error="insufficient_scope"', options.callScope) : mcpAnswer(message)
  })
  const issuer = await listening(authorization)
  const origin = await listening(resource)
  const url = `${origin}/mcp`
  return { url, issuer, seen, registered, tokens, browse }
}

function metadataOf(issuer: string, { iss }: OAuthServerOptions) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    ...(iss && { authorization_response_iss_parameter_supported: true }),
  }
}

function registration(registered: Record<string, unknown>[], body: string): Record<string, unknown> {
  const asked = JSON.parse(body)
  registered.push(asked)
  return { ...asked, client_id: `client-${registered.length}` }
}

function authorize(query: URLSearchParams, codes: Map<string, Grant>, { iss, scope = "" }: OAuthServerOptions): Answer {
  const code = randomUUID()
  const [challenge = "", redirect = "", client = ""] = ["code_challenge", "redirect_uri", "client_id"].map(
    (name) => query.get(name) ?? "",
  )
  codes.set(code, { challenge, redirect, client, scope: query.get("scope") ?? scope })
  const back = new URL(redirect)
  back.searchParams.set("code", code)
  back.searchParams.set("state", query.get("state") ?? "")
  if (iss) back.searchParams.set("iss", iss)
  return { status: 302, body: "", headers: { location: back.href } }
}

function exchange(
  body: URLSearchParams,
  codes: Map<string, Grant>,
  tokens: OAuthServer["tokens"],
  { lasts = 3600, withRefresh = true }: OAuthServerOptions,
): Answer {
  const give = (scope: string) => {
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`]
    tokens.set(access, { scope, refresh })
    const more = withRefresh ? { refresh_token: refresh } : {}
    return json({ access_token: access, token_type: "Bearer", expires_in: lasts, scope, ...more })
  }
  if (body.get("grant_type") === "refresh_token") {
    const old = [...tokens].find(([, { refresh }]) => refresh === body.get("refresh_token"))
    if (!old) return json({ error: "invalid_grant" }, 400)
    tokens.delete(old[0]) // each counts once
    return give(old[1].scope)
  }
  const grant = codes.get(body.get("code") ?? "")
  codes.delete(body.get("code") ?? "")
  const proof = createHash("sha256")
    .update(body.get("code_verifier") ?? "")
    .digest("base64url")
  if (!grant || grant.challenge !== proof || grant.redirect !== body.get("redirect_uri"))
    return json({ error: "invalid_grant" }, 400)
  return grant.client === body.get("client_id") ? give(grant.scope) : json({ error: "invalid_client" }, 401)
}

function mcpAnswer({ id, method }: { id?: number; method: string }): Answer {
  if (id === undefined) return { status: 202, body: "", headers: {} }
  const capabilities = { tools: {} }
  const tool = { name: "act", inputSchema: { type: "object", properties: {} } }
  const results: Record<string, unknown> = {
    initialize: { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "protected", version: "1" } },
    "tools/list": { tools: [tool] },
    "tools/call": { content: [{ type: "text", text: "done by a signed-in person" }] },
  }
  const result = results[method]
  return json({ jsonrpc: "2.0", id, ...(result ? { result } : { error: { code: -32601, message: "unknown" } }) })
}

/** As a browser does: wherever it is sent. */
async function browse(page: string): Promise<number> {
  const answer = await fetch(page, { redirect: "manual" })
  const back = answer.headers.get("location")
  return back ? (await fetch(back)).status : answer.status
}

function challenge(status: number, what: string, scope: string | undefined): Answer {
  const header = `Bearer ${what}${scope ? `, scope="${scope}"` : ""}`
  return { status, body: { error: "unauthorized" }, headers: { "www-authenticate": header } }
}

function json(body: unknown, status = 200): Answer {
  return { status, body, headers: { "content-type": "application/json" } }
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, headers)
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ""
  for await (const part of request) text += part
  return text
}

export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
}
