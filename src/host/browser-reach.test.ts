import { describe, expect, it } from "vitest"
import { createNotes } from "./browser-notes.ts"
import { outlineText, readOutline } from "./browser-outline.ts"
import { findBrowser } from "./browser-program.ts"
import { createReach } from "./browser-reach.ts"
import { temporaryFolder } from "./temporary-folder.ts"

const NAMES: Record<string, string[]> = {
  "a.example": ["93.184.215.14"],
  "www.a.example": ["93.184.215.14"],
  "here.example": ["127.0.0.1"],
  "both.example": ["93.184.215.14", "10.0.0.1"],
  localhost: ["127.0.0.1", "::1"],
  "router.lan": ["192.168.0.1"],
}
const lookup = async (name: string) => {
  const found = NAMES[name]
  if (!found) throw Object.assign(new Error("no"), { code: "ENOTFOUND" })
  return found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
}

async function launched(address: string, options = {}) {
  const reach = createReach({ lookup, ...options })
  reach.enter(await reach.judge(address))
  return reach
}

describe("what the browser may reach", () => {
  it.each([
    ["file:///etc/passwd", "only http and https"],
    ["chrome://settings", "only http and https"],
    ["data:text/html,x", "only http and https"],
    ["javascript:alert(1)", "only http and https"],
    ["view-source:http://a.example", "only http and https"],
    ["not an address", "is no address"],
    ["http://user:pass@a.example/", "a name or password"],
    ["http://169.254.169.254/latest", "private network"],
    ["http://router.lan/", "private network"],
    ["http://both.example/", "private network"],
    ["http://[fd00::1]/", "private network"],
    ["http://2130706433.nowhere/", "there is no such host"],
    [`http://a.example/${"x".repeat(5000)}`, "is no address"],
  ])("does not open %.40s", async (address, why) => {
    await expect(createReach({ lookup }).judge(address)).rejects.toThrow(why)
  })

  it("opens public pages and those of this machine, whatever its name", async () => {
    expect((await launched("https://a.example/")).isLocal()).toBe(false)
    for (const address of [
      "http://localhost:3000",
      "http://127.0.0.1:1/",
      "http://[::1]/",
      "http://here.example/",
      "http://0x7f.1/",
    ]) {
      expect((await launched(address)).isLocal(), address).toBe(true)
    }
    expect((await launched("http://router.lan/", { allowPrivate: true })).isLocal()).toBe(false)
  })

  it("lets a public page reach nothing private, not even by a name that leads there", async () => {
    const reach = await launched("https://a.example/")
    await expect(reach.addressesOf("a.example")).resolves.toHaveLength(1)
    for (const host of ["localhost", "127.0.0.1", "[::1]", "here.example", "both.example", "10.0.0.1", "169.254.169.254"]) {
      await expect(reach.addressesOf(host), host).rejects.toThrow(/not a public address/)
    }
  })

  it("lets a page of this machine reach this machine and the web, but not the networks around", async () => {
    const reach = await launched("http://localhost:3000/")
    await expect(reach.addressesOf("127.0.0.1")).resolves.toHaveLength(1)
    await expect(reach.addressesOf("a.example")).resolves.toHaveLength(1)
    await expect(reach.addressesOf("169.254.169.254")).rejects.toThrow(/not a public address/)
  })

  it("keeps the page on its site: subdomains of it, other ports of this machine, nothing else", async () => {
    const site = await launched("https://www.a.example/x")
    expect(["https://a.example/", "https://docs.a.example/", "about:blank"].map(site.isSameSite)).toEqual([true, true, true])
    const away = ["https://evil-a.example/", "https://a.example.evil.example/", "http://localhost/", "data:text/html,x", "no"]
    expect(away.filter(site.isSameSite)).toEqual([])
    const local = await launched("http://localhost:3000/")
    expect(["http://127.0.0.1:8080/", "https://app.localhost/", "https://a.example/"].map(local.isSameSite)).toEqual([
      true,
      true,
      false,
    ])
  })
})

describe("what is told of a page", () => {
  it("is bounded, however much the page prints, and says how much it was", () => {
    const notes = createNotes()
    for (let at = 0; at < 10_000; at++) notes.add(`${at % 50} ${"x".repeat(5000)}`)
    const told = notes.take()
    expect(told).toHaveLength(26)
    expect(told.at(-1)).toBe("… and 5000 more")
    expect(told[0]).toMatch(/\(200 times\)$/)
    expect(told.join("").length).toBeLessThan(10_000)
    expect(notes.take()).toEqual([])
  })

  it("has no control characters and no line breaks of the page's making", () => {
    const notes = createNotes()
    notes.add("a\n! forged\u001b[31m\u202e")
    expect(notes.take()).toEqual(["a ⏎ ! forged\ufffd"])
  })

  it("takes nothing for granted that came out of a page", () => {
    expect(outlineText(readOutline(undefined))).toBe("")
    expect(
      outlineText(readOutline({ title: 5, entries: [null, { number: "x", kind: {}, text: [] }, { number: 2, text: "a\nb" }] })),
    ).toBe('\n\n[2]  "a b" 0,0')
    const many = {
      entries: Array.from({ length: 1000 }, (_, at) => ({ number: at, kind: "link", text: "x".repeat(300), x: 1, y: 2 })),
    }
    expect(outlineText(readOutline(many)).length).toBeLessThan(8100)
  })
})

describe("the browser of this machine", () => {
  it("is the one that is named, or one in the usual places, or a line that says what to do", async () => {
    expect(findBrowser({ JOEY_BROWSER: "/bin/sh" })).toEqual({ program: "/bin/sh" })
    expect(findBrowser({ JOEY_BROWSER: "sh" })).toEqual({
      problem: "JOEY_BROWSER is sh, which is not the full path of a program.",
    })
    expect(findBrowser({ JOEY_BROWSER: "/etc" })).toHaveProperty("problem")
    const empty = await temporaryFolder()
    expect(findBrowser({ PROGRAMFILES: empty }, "win32")).toHaveProperty("problem", expect.stringContaining("install Chromium"))
  })
})
