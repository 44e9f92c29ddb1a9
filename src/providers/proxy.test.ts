import { describe, expect, it } from "vitest"
import { proxyFor } from "./proxy.ts"

const PROXY = "http://proxy:3128"
const addressOf = (url: string, env: NodeJS.ProcessEnv) => {
  const choice = proxyFor(url, env)
  return "problem" in choice ? choice.problem : choice.proxy?.address
}

describe("which proxy is used", () => {
  it.each<[string, NodeJS.ProcessEnv, string | undefined]>([
    ["https://host/v1", { HTTPS_PROXY: PROXY }, PROXY],
    ["https://host/v1", { https_proxy: PROXY, HTTPS_PROXY: "http://other" }, PROXY],
    ["https://host/v1", { HTTP_PROXY: PROXY }, undefined],
    ["http://host/v1", { HTTP_PROXY: PROXY, HTTPS_PROXY: "http://other" }, PROXY],
    ["https://host/v1", { ALL_PROXY: PROXY }, PROXY],
    ["https://host/v1", { ALL_PROXY: "http://other", HTTPS_PROXY: PROXY }, PROXY],
    ["https://host/v1", { HTTPS_PROXY: "proxy:3128" }, PROXY],
    ["https://host/v1", { HTTPS_PROXY: " " }, undefined],
    ["https://host/v1", {}, undefined],
  ])("%s with %o: %s", (url, env, proxy) => {
    expect(addressOf(url, env)).toBe(proxy)
  })

  it.each([
    "http://localhost:1/v1",
    "http://a.localhost/v1",
    "http://127.0.0.1:11434/v1",
    "http://127.9.9.9/v1",
    "http://[::1]:8080/v1",
  ])("never for %s", (url) => {
    expect(addressOf(url, { http_proxy: PROXY, ALL_PROXY: PROXY })).toBeUndefined()
  })

  it.each<[string, string, boolean]>([
    ["https://api.example.com/v1", "*", true],
    ["https://api.example.com/v1", "example.com", true],
    ["https://api.example.com/v1", ".example.com", true],
    ["https://api.example.com/v1", "*.example.com", true],
    ["https://example.com/v1", ".example.com", true],
    ["https://badexample.com/v1", "example.com", false],
    ["https://api.example.com/v1", "other.org, API.EXAMPLE.COM", true],
    ["https://api.example.com/v1", "other.org api.example.com", true],
    ["https://api.example.com/v1", "api.example.com:443", true],
    ["https://api.example.com/v1", "api.example.com:8443", false],
    ["http://10.1.2.3/v1", "10.0.0.0/8", true],
    ["http://11.1.2.3/v1", "10.0.0.0/8", false],
    ["http://10.1.2.3:8000/v1", "10.1.2.3:8000", true],
    ["http://10.1.2.3:8001/v1", "10.1.2.3:8000", false],
    ["http://1.10.1.2/v1", "10.1.2", false],
    ["http://[fd00::5]/v1", "fd00::/8", true],
    ["http://[fd00::5]:81/v1", "[fd00::5]:81", true],
    ["http://[fd00::5]/v1", "fd00::5", true],
    ["https://api.example.com/v1", "999.1.1.1/99, ,,/", false],
  ])("for %s with NO_PROXY=%s: %s", (url, list, excepted) => {
    const env = { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, NO_PROXY: list }
    expect(addressOf(url, env)).toBe(excepted ? undefined : PROXY)
  })

  it("keeps name and password for the proxy alone, out of its name", () => {
    const choice = proxyFor("https://host/", { HTTPS_PROXY: "http://me:p%40ss@proxy:3128" })
    expect(choice).toMatchObject({ proxy: { address: PROXY, host: "proxy", port: 3128, variable: "HTTPS_PROXY" } })
    const { proxy } = choice as { proxy: { authorization: string } }
    expect(Buffer.from(proxy.authorization.replace("Basic ", ""), "base64").toString()).toBe("me:p@ss")
  })

  it.each(["socks5://me:secret@host:1080", "http://", "://"])(
    "says in one line what is wrong with %s, without its password",
    (value) => {
      const choice = proxyFor("https://host/", { ALL_PROXY: value })
      expect(choice).toMatchObject({ problem: expect.stringMatching(/^ALL_PROXY .*http:\/\/host:3128/) })
      expect(JSON.stringify(choice)).not.toContain("secret")
    },
  )
})
