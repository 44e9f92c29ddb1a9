import { once } from "node:events"
import { createServer, request } from "node:http"
import { describe, expect, it } from "vitest"
import { entryOf, testFolder } from "../../src/engine/server-test.ts"
import { authProvider } from "../../src/mcp/oauth.ts"
import { checkAddress } from "../../src/mcp/oauth-address.ts"
import { listenForCallback } from "../../src/mcp/oauth-callback.ts"
import { type LoginOptions, login } from "../../src/mcp/oauth-login.ts"
import type { JsonObject } from "../../src/types/json.ts"
import { type Answer, listening, type OAuthServer, type OAuthServerOptions, startOAuthServer } from "./oauth-server.ts"

interface Scene {
  server: OAuthServer
  home: string
  opened: string[]
  signIn(options?: Partial<LoginOptions>): Promise<string>
}

async function scene(options: OAuthServerOptions, oauth: JsonObject = {}, headers: Record<string, string> = {}): Promise<Scene> {
  const server = await startOAuthServer(options)
  const home = testFolder()
  const opened: string[] = []
  const open = (page: string) => {
    opened.push(page)
    return server.browse(page)
  }
  const entry = entryOf("guarded", { kind: "http", url: server.url, headers }, { oauth })
  const common = { home, tell() {}, open, signal: new AbortController().signal, timeoutMs: 5_000 }
  return { server, home, opened, signIn: (more) => login(entry, { ...common, ...more }) }
}

/** Lies in the answers of a path. */
const lying = (part: string, change: (answer: Answer) => Partial<Answer>): OAuthServerOptions => ({
  edit: (path, answer) => (path.includes(part) ? { ...answer, ...change(answer) } : answer),
})
const saying = (part: string, members: object) => lying(part, ({ body }) => ({ body: { ...Object(body), ...members } }))
const metadata = (members: object) => saying("oauth-authorization-server", members)
const oneLine = (error: unknown) => {
  const { message } = error as Error
  expect(message).toMatch(/^The server "guarded"[^\n\u001b]{5,500}$/)
  return message
}

describe("a hostile authorization server", () => {
  it.each([
    ["authorization_endpoint", "javascript:alert(1)"],
    ["authorization_endpoint", "file:///etc/passwd"],
    ["authorization_endpoint", "http://evil.example/authorize"],
    ["authorization_endpoint", "https://me:secret@evil.example/authorize"],
    ["token_endpoint", "http://evil.example/token"],
    ["registration_endpoint", "http://169.254.169.254/latest"],
  ])("its %s %s is refused, and nothing is opened or sent", async (member, address) => {
    const { server, opened, signIn } = await scene(metadata({ [member]: address }))
    oneLine(await signIn().catch((error) => error))
    expect(opened).toEqual([])
    expect(server.seen.filter(({ what }) => what.startsWith("POST /token") || what === "POST /register")).toEqual([])
  })

  it("is refused when it calls itself another, or protects another server", async () => {
    const other = await scene(metadata({ issuer: "https://accounts.example" }))
    oneLine(await other.signIn().catch((error) => error))
    const elsewhere = await scene(saying("oauth-protected-resource", { resource: "https://bank.example/mcp" }))
    expect(oneLine(await elsewhere.signIn().catch((error) => error))).toContain("bank.example")
    expect([...other.opened, ...elsewhere.opened]).toEqual([])
  })

  it("is not looked for where a server wants us to look into the network it stands in", async () => {
    const { signIn } = await scene(saying("oauth-protected-resource", { authorization_servers: ["http://169.254.169.254/"] }))
    const asked: string[] = []
    const spying: LoginOptions["fetch"] = (address, init) => {
      asked.push(String(address))
      return fetch(address, init)
    }
    expect(oneLine(await signIn({ fetch: spying }).catch((error) => error))).toContain("it is not https: http://169.254.169.254/")
    expect(asked.filter((address) => address.includes("169.254"))).toEqual([])
  })

  it("with another name in its answer gets no code", async () => {
    const { server, signIn } = await scene({ iss: "https://evil.example" })
    oneLine(await signIn().catch((error) => error))
    expect(server.seen.filter(({ what }) => what === "POST /token")).toEqual([])
  })

  it("cannot send the code on to somebody else", async () => {
    const thieves: string[] = []
    const thief = await listening(
      createServer((request, response) => {
        thieves.push(request.url ?? "")
        response.end("{}")
      }),
    )
    const { signIn } = await scene(lying("/token", () => ({ status: 307, body: "", headers: { location: `${thief}/token` } })))
    oneLine(await signIn().catch((error) => error))
    expect(thieves).toEqual([])
  })

  it("never gets the headers that are meant for the server, also when it asks later", async () => {
    const { server, signIn } = await scene({}, {}, { "x-secret": "mine" })
    await signIn()
    const sentWith = (path: RegExp) => server.seen.filter(({ what }) => path.test(what)).map(({ headers }) => headers["x-secret"])
    expect(sentWith(/POST \/mcp/)[0]).toBe("mine")
    expect(new Set(sentWith(/token|register|authorize|well-known/))).toEqual(new Set([undefined]))
  })

  it("with answers without end, or full of tricks, is told in one line", async () => {
    const huge = await scene(lying("oauth-authorization-server", () => ({ body: `{"issuer":"${"x".repeat(3_000_000)}"}` })))
    expect(oneLine(await huge.signIn().catch((error) => error))).toContain("more than 1 MB")
    const long = await scene(metadata({ scopes_supported: ["x".repeat(100_000)] }))
    expect(oneLine(await long.signIn().catch((error) => error))).toContain("too long")
    const tricky = await scene(lying("/token", () => ({ status: 400, body: "\u001b[2J<script>\nsecret-in-body</script>" })))
    expect(oneLine(await tricky.signIn().catch((error) => error))).not.toContain("secret-in-body")
  })

  it("that never answers is waited for as long as the person wants", async () => {
    const silent = await listening(createServer(() => {}))
    const { signIn } = await scene(saying("oauth-protected-resource", { authorization_servers: [silent] }))
    const began = Date.now()
    oneLine(await signIn({ signal: AbortSignal.timeout(700) }).catch((error) => error))
    expect(Date.now() - began).toBeLessThan(8_000)
  })

  it("gets no secret that was meant for another", async () => {
    const oauth = { clientId: "mine", clientSecret: "s3cret", issuer: "https://accounts.example" }
    const { server, opened, signIn } = await scene({}, oauth)
    expect(oneLine(await signIn().catch((error) => error))).toContain("but in /mcp.json stands https://accounts.example")
    expect([opened, server.seen.filter(({ what }) => what === "POST /token")]).toEqual([[], []])
  })

  it("a token goes only to the address it was given for, whatever a server is called", async () => {
    const { server, home, signIn } = await scene({})
    await signIn()
    const of = async (url: string) =>
      (await authProvider(entryOf("guarded", { kind: "http", url, headers: {} }), { home }))?.token()
    expect(await of(server.url)).toMatch(/^access-/)
    expect(await of(`${server.url}/other`)).toBeUndefined()
    expect(await of("https://evil.example/mcp")).toBeUndefined()
  })
})

describe("where signing in may lead", () => {
  const to = (address: string, server: string) => () => checkAddress("It", address, server)

  it("is https, or this machine if the server is here too", () => {
    expect(to("https://accounts.example/authorize", "https://mcp.example")).not.toThrow()
    expect(to("http://localhost:3000/authorize", "http://127.0.0.1:4000")).not.toThrow()
  })

  it.each([
    "http://127.0.0.1/",
    "https://localhost:8443/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://a.localhost/",
    "http://0/",
  ])("%s is not for a server elsewhere", (address) => {
    expect(to(address, "https://mcp.example")).toThrow("It is refused, it leads into this machine, where the server is not")
  })
})

describe("the way back from the browser", () => {
  const answering = async () => {
    const callback = await listenForCallback({ state: "right" })
    const { port } = new URL(callback.url)
    const get = async (path: string, init?: RequestInit) => (await fetch(`http://127.0.0.1:${port}${path}`, init)).status
    return { callback, get, answer: callback.answer({ timeoutMs: 5_000, signal: new AbortController().signal }) }
  }

  it("takes only the right state, only once, and nothing else", async () => {
    const { callback, get, answer } = await answering()
    expect(await get("/callback?code=stolen&state=wrong")).toBe(400)
    expect(await get("/callback?code=stolen")).toBe(400)
    expect(await get("/?code=stolen&state=right")).toBe(400)
    expect(await get("/callback?code=stolen&state=right", { method: "POST" })).toBe(400)
    expect(await get(`/callback?code=${"x".repeat(9_000)}&state=right`)).toBe(400)
    expect(await rebound(callback.url, "/callback?code=stolen&state=right")).toBe(400)
    expect(await get("/callback?code=mine&state=right")).toBe(200)
    expect(await get("/callback?code=stolen&state=right")).toBe(410)
    expect((await answer).get("code")).toBe("mine")
    callback.close()
  })

  it("says nothing on its page that somebody else wrote, and leads nowhere", async () => {
    const { callback, answer } = await answering()
    const response = await fetch(`${callback.url}?state=right&error=<script>alert(1)</script>`, { redirect: "manual" })
    const text = await response.text()
    expect([text.includes("script"), response.headers.get("location")]).toEqual([false, null])
    expect(response.headers.get("content-security-policy")).toBe("default-src 'none'")
    await answer
    callback.close()
  })
})

/** A page of another name that leads to this machine. */
async function rebound(to: string, path: string): Promise<number | undefined> {
  const [response] = await once(request(to, { path, headers: { host: "evil.example" } }).end(), "response")
  response.resume()
  return response.statusCode
}
