import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { entryOf, testFolder } from "../../src/engine/server-test.ts"
import { processServers } from "../../src/engine/servers.ts"
import { authProvider } from "../../src/mcp/oauth.ts"
import { type LoginOptions, login, logout } from "../../src/mcp/oauth-login.ts"
import { openTokenStore } from "../../src/mcp/token-store.ts"
import type { JsonObject } from "../../src/types/json.ts"
import type { ServerEntry } from "../../src/types/mcp.ts"
import { type OAuthServer, type OAuthServerOptions, startOAuthServer } from "./oauth-server.ts"

const never = new AbortController().signal

interface Scene {
  server: OAuthServer
  entry: ServerEntry
  home: string
  lines: string[]
  signIn(options?: Partial<LoginOptions>): Promise<string>
  /** Through the whole client. */
  call(): Promise<unknown>
  file(): string
}

async function scene(
  options: OAuthServerOptions = {},
  { oauth, headers = {} }: { oauth?: JsonObject; headers?: Record<string, string> } = {},
): Promise<Scene> {
  const server = await startOAuthServer(options)
  const home = testFolder()
  const entry = entryOf("guarded", { kind: "http", url: server.url, headers }, oauth ? { oauth } : {})
  const lines: string[] = []
  return {
    server,
    entry,
    home,
    lines,
    signIn: (more) =>
      login(entry, {
        home,
        tell: (line) => void lines.push(line),
        open: server.browse,
        signal: never,
        timeoutMs: 10_000,
        ...more,
      }),
    async call() {
      const servers = processServers({ home })
      onTestFinished(() => servers.close())
      const opened = await servers.configure([entry])
      return opened?.call({ server: "guarded", tool: "act", input: {}, signal: never })
    },
    file: () => join(home, "mcp", "tokens.json"),
  }
}

const done = { content: [{ type: "text", text: "done by a signed-in person" }] }
const asked = ({ seen }: OAuthServer, what: string) => seen.filter((each) => each.what === what)

describe("signing in at a server", () => {
  it("goes through the browser with PKCE, state and resource, and later calls carry the token", async () => {
    const { server, lines, signIn, call, file } = await scene({ scope: "files" })
    await expect(call()).rejects.toThrow("it wants you to sign in: joey mcp login guarded")
    expect(await signIn()).toMatch(/^Signed in at "guarded" \(127\.0\.0\.1:\d+\)\.$/)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(lines[0]).toMatch(/^Sign in at "guarded" with your browser, at 127\.0\.0\.1:\d+:$/)
    const page = new URL(lines[1] ?? "")
    expect([
      page.searchParams.get("resource"),
      page.searchParams.get("scope"),
      page.searchParams.get("code_challenge_method"),
    ]).toEqual([server.url, "files", "S256"])
    expect(page.searchParams.get("redirect_uri")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    expect(asked(server, "POST /token")[0]?.body.get("resource")).toBe(server.url)
    expect(server.registered[0]).toMatchObject({
      client_name: "Joey",
      application_type: "native",
      token_endpoint_auth_method: "none",
    })
    expect(await call()).toMatchObject(done)
    expect(readdirSync(join(file(), ".."))).not.toContainEqual(expect.stringMatching(/lock|tokens\.json\../))
  })

  it("registers once, and uses its registration and port again", async () => {
    const { server, signIn, lines } = await scene()
    await signIn()
    await signIn()
    expect(server.registered).toHaveLength(1)
    const ports = lines.filter((line) => line.startsWith("http")).map((line) => new URL(line).searchParams.get("redirect_uri"))
    expect(ports[0]).toBe(ports[1])
  })

  it("uses a configured client and port, and registers nothing", async () => {
    const { server, signIn, lines } = await scene({}, { oauth: { clientId: "mine", callbackPort: 47_813, scopes: ["a", "b"] } })
    await signIn()
    const { searchParams } = new URL(lines[1] ?? "")
    expect([searchParams.get("client_id"), searchParams.get("redirect_uri"), searchParams.get("scope")]).toEqual([
      "mine",
      "http://localhost:47813/callback",
      "a b",
    ])
    expect(server.registered).toEqual([])
  })

  it("a client with a document needs no registration where that is taken", async () => {
    const oauth = { clientMetadataUrl: "https://joey.example/client.json" }
    const edit: OAuthServerOptions["edit"] = (path, answer) =>
      path.includes("authorization-server")
        ? { ...answer, body: { ...Object(answer.body), client_id_metadata_document_supported: true } }
        : answer
    const { server, signIn, lines } = await scene({ edit }, { oauth })
    await signIn()
    expect(new URL(lines[1] ?? "").searchParams.get("client_id")).toBe("https://joey.example/client.json")
    expect(server.registered).toEqual([])
  })

  it("says in one line when nobody comes back, and when the person refuses", async () => {
    const { signIn } = await scene()
    await expect(signIn({ open: () => {}, timeoutMs: 50 })).rejects.toThrow(
      /^The server "guarded": signing in failed\. Nobody signed in within 1 s\.$/,
    )
    const refusing = (page: string) => {
      const { searchParams } = new URL(page)
      return fetch(`${searchParams.get("redirect_uri")}?error=access_denied&state=${searchParams.get("state")}`)
    }
    await expect(signIn({ open: refusing })).rejects.toThrow("signing in failed. It was refused at the page.")
    const stopped = AbortSignal.abort()
    await expect(signIn({ signal: stopped })).rejects.toThrow(/^The server "guarded"/)
  })

  it("is nothing for programs, and for servers with a header of the person's own", async () => {
    const { entry, home, signIn } = await scene({}, { headers: { authorization: "Bearer own" } })
    await expect(signIn()).rejects.toThrow("has an Authorization header of its own in /mcp.json")
    expect(await authProvider(entry, { home })).toBeUndefined()
  })

  it("ends with a logout, which also tells the authorization server", async () => {
    const { server, entry, home, signIn, call, file } = await scene()
    await signIn()
    expect(await logout(entry, { home })).toBe('Signed out at "guarded".')
    expect(asked(server, "POST /revoke")[0]?.body.get("token")).toMatch(/^refresh-/)
    expect(readFileSync(file(), "utf8")).not.toMatch(/access-|refresh-|client-/)
    expect(await logout(entry, { home })).toBe('Nobody is signed in at "guarded".')
    await expect(call()).rejects.toThrow("joey mcp login guarded")
  })
})

describe("a token", () => {
  it("that ended is renewed once, however many ask", async () => {
    const { server, entry, home, signIn } = await scene({ lasts: 1 })
    await signIn()
    const [one, other] = [await authProvider(entry, { home }), await authProvider(entry, { home })]
    const given = await Promise.all([one?.token(), one?.token(), other?.token()])
    expect(new Set(given).size).toBe(1)
    expect(server.tokens.has(given[0] ?? "")).toBe(true)
    expect(asked(server, "POST /token")).toHaveLength(2)
  })

  it("that the server forgot is renewed within the call", async () => {
    const { server, signIn, call } = await scene()
    await signIn()
    const [[old = "", kept] = []] = [...server.tokens]
    server.tokens.delete(old)
    if (kept) server.tokens.set("gone", kept)
    expect(await call()).toMatchObject(done)
  })

  it("that cannot be renewed asks the person, and is forgotten", async () => {
    const { server, signIn, call, home } = await scene()
    await signIn()
    server.tokens.clear()
    await expect(call()).rejects.toThrow("joey mcp login guarded")
    const stored = await openTokenStore(home).read()
    expect(stored.servers[server.url]?.tokens).toBeUndefined()
  })

  it("with too few rights asks the person, and the next sign-in asks for them too", async () => {
    const { signIn, call, lines } = await scene({ scope: "read", callScope: "write" })
    await signIn()
    await expect(call()).rejects.toThrow("joey mcp login guarded")
    await signIn()
    expect(new URL(lines[3] ?? "").searchParams.get("scope")).toBe("read write")
    expect(await call()).toMatchObject(done)
  })

  it("stands in a file that is tightened, and kept aside when it is damaged", async () => {
    const { home, signIn, file } = await scene()
    await signIn()
    writeFileSync(file(), "{ damaged", { mode: 0o644 })
    const store = openTokenStore(home)
    expect(await store.read()).toEqual({ servers: {}, clients: {} })
    await signIn()
    expect(readFileSync(`${file()}.damaged`, "utf8")).toBe("{ damaged")
    expect(Object.keys((await store.read()).servers)).toHaveLength(1)
  })
})
