/** As whom Joey signs in at an authorization server: what a configuration says, what an earlier registration gave, or a registration now. */
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client"
import type { ServerEntry } from "../types/mcp.ts"
import { ToolError } from "../types/tool.ts"
import { checkAddress } from "./oauth-address.ts"
import type { Stored } from "./token-store.ts"

/** What a file may say: `"oauth": { "clientId", "clientSecret", "clientMetadataUrl", "callbackPort", "scope", "issuer" }`. */
export interface WrittenOAuth {
  clientId?: string
  clientSecret?: string
  /** Where a document about this client stands; authorization servers that take one need no registration. */
  clientMetadataUrl?: string
  callbackPort?: number
  scope?: string
  /** The only authorization server that is meant. */
  issuer?: string
}

/** Throws a ToolError. Both spellings are common. */
export function writtenOAuth({ name, file, oauth = {} }: ServerEntry): WrittenOAuth {
  const wrong = (member: string, what: string): never => {
    throw new ToolError(`"oauth.${member}" of the server "${name}" in ${file} is ${what}.`)
  }
  const text = (member: string, other: string): string | undefined => {
    const value = oauth[member] ?? oauth[other]
    if (value !== undefined && (typeof value !== "string" || value === "")) wrong(member, "a text")
    return typeof value === "string" ? value : undefined
  }
  const scopes = oauth["scopes"]
  const clientId = text("clientId", "client_id")
  const clientSecret = text("clientSecret", "client_secret")
  const clientMetadataUrl = text("clientMetadataUrl", "client_metadata_url")
  const scope = Array.isArray(scopes) ? scopes.filter((each) => typeof each === "string").join(" ") : text("scope", "scopes")
  const issuer = text("issuer", "issuer")
  const port = oauth["callbackPort"]
  if (port !== undefined && (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65_535)) {
    wrong("callbackPort", "a port from 1 to 65535")
  }
  return {
    ...(clientId && { clientId }),
    ...(clientSecret && { clientSecret }),
    ...(clientMetadataUrl && { clientMetadataUrl }),
    ...(typeof port === "number" && { callbackPort: port }),
    ...(scope && { scope }),
    ...(issuer && { issuer }),
  }
}

/** The one to renew with. A configured one goes before a registered one. */
export function clientAt(
  issuer: string,
  { clientId, clientSecret }: WrittenOAuth,
  { clients }: Stored,
): StoredOAuthClientInformation | undefined {
  if (!clientId) return clients[issuer]
  return { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }), issuer }
}

/** A port of this machine that is registered already: some authorization servers take no other. */
export function registeredPort(client: StoredOAuthClientInformation | undefined): number | undefined {
  const [uri] = redirectsOf(client)
  return uri !== undefined && URL.canParse(uri) ? Number(new URL(uri).port) || undefined : undefined
}

/** May it be used with this way back? One that stands in a document (its id is an address) or in a file may always. */
export function fitsCallback(client: StoredOAuthClientInformation | undefined, callback: string): boolean {
  return client !== undefined && (client.client_id.startsWith("https://") || redirectsOf(client).includes(callback))
}

function redirectsOf(client: StoredOAuthClientInformation | undefined): string[] {
  const listed: unknown = client && "redirect_uris" in client ? client.redirect_uris : undefined
  return Array.isArray(listed) ? listed.filter((uri): uri is string => typeof uri === "string") : []
}

/** One attempt to sign in. What the client package finds out on the way stands here, and nowhere else until it went well. */
export interface Attempt {
  readonly provider: OAuthClientProvider
  page: URL | undefined
  client: StoredOAuthClientInformation | undefined
  tokens: StoredOAuthTokens | undefined
}

export interface AttemptOptions {
  server: string
  callback: string
  state: string
  client: StoredOAuthClientInformation | undefined
  clientMetadataUrl?: string | undefined
  discovery: OAuthDiscoveryState
}

export function signInAttempt(options: AttemptOptions): Attempt {
  const { server, callback, state, discovery, clientMetadataUrl } = options
  let verifier = ""
  let found = discovery
  const methods = discovery.authorizationServerMetadata?.token_endpoint_auth_methods_supported
  const attempt: Attempt = {
    page: undefined,
    client: options.client,
    tokens: undefined,
    provider: {
      redirectUrl: callback,
      ...(clientMetadataUrl && { clientMetadataUrl }),
      clientMetadata: {
        client_name: "Joey",
        redirect_uris: [callback],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        ...(methods?.includes("none") && { token_endpoint_auth_method: "none" }), // a program on a desk keeps no secrets
      },
      state: () => state,
      clientInformation: () => attempt.client,
      saveClientInformation(client) {
        attempt.client = client
      },
      tokens: () => undefined,
      saveTokens(tokens) {
        attempt.tokens = tokens
      },
      redirectToAuthorization(page) {
        attempt.page = checkAddress("The page to sign in", page, server)
      },
      saveCodeVerifier(text) {
        verifier = text
      },
      codeVerifier: () => verifier,
      discoveryState: () => found,
      saveDiscoveryState(state) {
        found = state
      },
    },
  }
  return attempt
}
