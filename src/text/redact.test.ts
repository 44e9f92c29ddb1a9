import { createHash, randomBytes, randomUUID } from "node:crypto"
import { describe, expect, it } from "vitest"
import { redact } from "./redact.ts"

describe("redact", () => {
  it("S15: takes out values we hold, wherever they stand", () => {
    expect(redact('{"text":"key=hunter2-secret; again hunter2-secret"}', ["hunter2-secret"])).toBe(
      '{"text":"key=[redacted]; again [redacted]"}',
    )
  })

  it("takes out values we hold as JSON writes them, and leaves no tail of one that begins like another", () => {
    const held = ["hunter2", 'a"quote\\in it', "hunter2-longer"]
    expect(redact(JSON.stringify({ one: held[1], two: held[2], three: held[0] }), held)).toBe(
      '{"one":"[redacted]","two":"[redacted]","three":"[redacted]"}',
    )
  })

  it("leaves short values alone: they are ordinary words", () => {
    expect(redact("a test is a test", ["test", ""])).toBe("a test is a test")
  })

  it("S15: takes out keys of known kinds", () => {
    const keys = [
      "sk-or-v1-0123456789abcdef0123",
      "sk_live_0123456789abcdef",
      "ghp_0123456789abcdefghijABCDEFGHIJ",
      "AKIAIOSFODNN7EXAMPLE",
      "AIzaSyA0123456789abcdefghijklmnopqrstu",
      "xoxb-1234567890-abcdef",
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
      "-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----",
    ]
    for (const key of keys) expect(redact(`before ${key} after`)).toBe("before [redacted] after")
    expect(redact("Authorization: Bearer abcdefghijklmnop123")).toBe("Authorization: Bearer [redacted]")
    expect(redact("https://hooks.slack.com/services/T0000/B0000/XXXXXXXXXXXX")).toBe(
      "https://hooks.slack.com/services/[redacted]",
    )
  })

  it("takes out keys and tokens at both ends of a line, also as JSON writes it, also in colour", () => {
    for (const key of ["sk-or-v1-0123456789abcdef0123", "Zk3vQ9xLw2TbR7mYp4HsN8dC"]) {
      const text = `a\n${key}\n"${key}"\tTOKEN_OF_MINE=${key}\r\nb`
      const expected = text.replaceAll(key, "[redacted]")
      expect(redact(text)).toBe(expected)
      expect(JSON.parse(redact(JSON.stringify(text)))).toBe(expected)
      expect(JSON.parse(JSON.parse(redact(JSON.stringify(JSON.stringify(text)))))).toBe(expected)
    }
    expect(redact("\u001b[1;31msk-or-v1-0123456789abcdef0123\u001b[0m")).toBe("\u001b[1;31m[redacted]\u001b[0m")
  })

  it("takes out a private key that was cut off, and leaves the JSON around it whole", () => {
    const event = JSON.stringify({ text: "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAK", next: 1 })
    expect(JSON.parse(redact(event))).toEqual({ text: "[redacted]", next: 1 })
  })

  it("takes out a password in an address, but no placeholder", () => {
    expect(redact("postgres://me:pa55@db/x, https://host:8080/a@b")).toBe("postgres://me:[redacted]@db/x, https://host:8080/a@b")
    expect(redact("https://user:$PASSWORD@host and //a:<pass>@b")).toBe("https://user:$PASSWORD@host and //a:<pass>@b")
  })

  it("takes out values behind a telling name, in any notation", () => {
    const secret = "a8f3k2l9x0q1z7"
    const notations = [
      `API_TOKEN=${secret}`,
      `"clientSecret": "${secret}"`,
      `export DB_PASSWORD='${secret}'`,
      `api-key: ${secret}`,
      JSON.stringify(JSON.stringify({ accessToken: secret })),
    ]
    for (const text of notations) expect(redact(text)).toBe(text.replace(secret, "[redacted]"))
    expect(redact("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY3XAMPLEKEY")).toBe("aws_secret_access_key = [redacted]")
    expect(redact(`apiKey: "${createHash("md5").update("x").digest("hex")}"`)).toBe('apiKey: "[redacted]"')
  })

  it.each([
    "max_tokens: 128000000000",
    "const token = tokenizer.next1()",
    "password: string | undefined",
    "token = process.env.MY_TOKEN_1",
    "secret=/run/secrets/database1",
    '"tokenCount": 123456789012',
    "accessToken: getAccessTokenFromRequest2",
  ])("leaves what only looks like a named secret: %s", (text) => expect(redact(text)).toBe(text))

  it("takes out most tokens that only a random generator writes", () => {
    const tokens = Array.from({ length: 400 }, () => randomBytes(36).toString("base64").replace(/[+/=]/g, "x"))
    const found = tokens.filter((token) => redact(`it is ${token}, they say`) === "it is [redacted], they say")
    expect(found.length).toBeGreaterThan(370)
    expect(redact("It was Zk3vQ9xLw2TbR7mYp4HsN8dC. Then")).toBe("It was [redacted]. Then")
  })

  it.each([
    ["a commit", createHash("sha1").update("a").digest("hex")],
    ["a SHA-256", createHash("sha256").update("a").digest("hex")],
    ["a SHA-256 in capitals", createHash("sha256").update("a").digest("hex").toUpperCase()],
    ["a hash with a prefix", "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"],
    ["a UUID", randomUUID()],
    ["an integrity", `sha512-${createHash("sha512").update("a").digest("base64")}`],
    ["an image", `data:image/png;base64,${randomBytes(3000).toString("base64")}`],
    ["lines of an image", wrap(randomBytes(3000).toString("base64"), 76, "\n")],
    ["lines of a certificate inside JSON", JSON.stringify(wrap(randomBytes(3000).toString("base64"), 64, "\n"))],
    ["an identifier", "getUserAccountSettingsFromHttp2RequestV3"],
    ["a constant", "MAX_HTTP2_STREAMS_PER_CONNECTION_V1"],
    ["a test's name", "reads_IPv6_and_IPv4_addresses_from_URLs_2"],
    ["a path", "/home/me/Projects/App2/src/Components3/Zk3vQ9xLw2TbR7mYp4HsN8dC/index.ts"],
    ["a path on Windows", "C:\\Users\\Me\\Zk3vQ9xLw2TbR7mYp4HsN8dC\\file"],
    ["a file's name", "Zk3vQ9xLw2TbR7mYp4HsN8dC.chunk.js"],
    ["a task", "20261115-225200123-a1b2c3"],
    ["ids of calls", "call_Zk3vQ9xLw2TbR7mYp4HsN8dC toolu_01Zk3vQ9xLw2TbR7mYp4HsN8 chatcmpl-Zk3vQ9xLw2TbR7mYp4HsN8dC"],
    ["words", "skin-deep sketch, sk-short, a bearer of news, AKIA, src/xai-things/hf_x.ts"],
  ])("leaves %s readable", (_, text) => expect(redact(`see ${text} there`)).toBe(`see ${text} there`))

  it("finds nothing more the second time", () => {
    const once = redact("token: a8f3k2l9x0q1z7 and Zk3vQ9xLw2TbR7mYp4HsN8dC")
    expect(redact(once)).toBe(once)
  })

  it("does not fall over a run of many megabytes", () => {
    const image = "A1b".repeat(7_000_000)
    expect(redact(image)).toBe(image)
  })

  it("comes to an end on text made to be slow", () => {
    const texts = ["-----BEGIN PRIVATE KEY-----", "token", "a:", "://a:", "Aa1-", "bearer ", 'secret"', "\\"].map((part) =>
      part.repeat(60_000),
    )
    for (const text of texts) expect(redact(text).length).toBeLessThanOrEqual(text.length) // quadratic would take minutes
  })
})

function wrap(text: string, width: number, end: string): string {
  return (text.match(new RegExp(`.{1,${width}}`, "g")) ?? []).join(end)
}
