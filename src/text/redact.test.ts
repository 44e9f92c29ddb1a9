import { describe, expect, it } from "vitest"
import { redact } from "./redact.ts"

describe("redact", () => {
  it("S15: takes out values we hold, wherever they stand", () => {
    expect(redact('{"text":"key=hunter2-secret; again hunter2-secret"}', ["hunter2-secret"])).toBe(
      '{"text":"key=[redacted]; again [redacted]"}',
    )
  })

  it("leaves short values alone: they are ordinary words", () => {
    expect(redact("a test is a test", ["test"])).toBe("a test is a test")
  })

  it("S15: takes out keys of known kinds", () => {
    const keys = [
      "sk-or-v1-0123456789abcdef0123",
      "ghp_0123456789abcdefghijABCDEFGHIJ",
      "AKIAIOSFODNN7EXAMPLE",
      "AIzaSyA0123456789abcdefghijklmnopqrstu",
      "xoxb-1234567890-abcdef",
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
      "-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----",
    ]
    for (const key of keys) expect(redact(`before ${key} after`)).toBe("before [redacted] after")
    expect(redact("Authorization: Bearer abcdefghijklmnop123")).toBe("Authorization: Bearer [redacted]")
  })

  it("touches nothing else", () => {
    const text = "skin-deep sketch, sk-short, a bearer of news, AKIA, src/xai-things/hf_x.ts"
    expect(redact(text)).toBe(text)
  })
})
