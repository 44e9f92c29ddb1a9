import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import type { BrowserAction, PageSeen } from "../types/browser.ts"
import { type BrowserOptions, openBrowser } from "./browser.ts"
import { findBrowser } from "./browser-program.ts"

const found = findBrowser()
const needed = "(needs Chromium; skipped where there is none)"
const SLOW = 120_000

type Pages = Record<string, string | ((asked: IncomingMessage, answer: ServerResponse) => void)>

async function serve(pages: Pages, address = "127.0.0.1") {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://x")
    if (pathname !== "/favicon.ico") asked.push(pathname)
    const page = pages[pathname]
    response.setHeader("content-type", "text/html; charset=utf-8")
    if (typeof page === "function") page(request, response)
    else if (page === undefined) response.writeHead(404).end("nothing")
    else response.end(page)
  })
  await new Promise<void>((done) => server.listen(0, address, done))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { at: `http://${address}:${(server.address() as AddressInfo).port}`, asked, close }
}

function browse(options: BrowserOptions = {}) {
  const browser = openBrowser({ patience: { load: 2500, answer: 2500, rest: 1000 }, ...options })
  const act = (action: BrowserAction, image: "jpeg" | "png" | "none" = "none"): Promise<PageSeen> =>
    browser.act(action, { signal: new AbortController().signal, image })
  return { browser, act, launch: (url: string) => act({ action: "launch", url }) }
}

const SHOP = `<title>Shop</title><h1>All things</h1><p>We sell <b>many</b> things.</p><a href="/cart">Cart</a>
<button onclick="document.title='bought';console.log('sold');fetch('/gone')">Buy</button>
<label>Name <input name=who></label> <input type=password name=pass value=hunter2>
<a href="http://example.com/">elsewhere</a> <a target=_blank href="/cart">window</a> <button onclick="alert('really?')">Ask</button>
<img name=querySelectorAll><form><input name=getAttribute></form><div hidden>unseen</div><script>secretly</script>
<div style="height:2000px"></div><button onclick="document.title='deep'">Bottom</button>
<script>addEventListener('beforeunload', (event) => { event.preventDefault(); event.returnValue = '' })
Element.prototype.getBoundingClientRect = () => { throw new Error('no') }; Array.prototype.push = () => { for (;;); }</script>`

describe.skipIf("problem" in found)(`a page in the browser ${needed}`, { timeout: SLOW }, () => {
  const { browser, act, launch } = browse()
  let site: Awaited<ReturnType<typeof serve>>
  beforeAll(async () => {
    site = await serve({
      "/": SHOP,
      "/cart": "<title>Cart</title><p>Empty.</p>",
      "/away": (_, answer) => answer.writeHead(302, { location: "http://example.com/" }).end(),
    })
  })
  afterAll(async () => {
    await browser.close()
    site.close()
  })
  const number = ({ outline }: PageSeen, name: string) => Number(new RegExp(`\\[(\\d+)\\] [\\w ]+ "${name}`).exec(outline)?.[1])

  it("S33: needs a launch first, then tells what it says and offers, whatever its scripts did to theirs", async () => {
    await expect(act({ action: "screenshot" })).rejects.toThrow("No page is open; launch one first.")
    const seen = await act({ action: "launch", url: `${site.at}/` }, "jpeg")
    expect(seen).toMatchObject({ url: `${site.at}/`, title: "Shop", size: { width: 900, height: 600 } })
    expect(seen.outline).toMatch(/^# All things\nWe sell many things\.\n\[1\] link "Cart" \d+,\d+\n\[2\] button "Buy"/)
    expect(seen.outline).toContain('"Name"')
    expect(seen.outline).toContain("(below)")
    expect(seen.outline).not.toMatch(/hunter2|unseen|secretly/)
    expect(Buffer.from(seen.image?.data ?? "", "base64").subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]))
    expect(browser.address()).toBe(`${site.at}/`)
  })

  it("S33: clicks, hovers, types, presses, scrolls and resizes", async () => {
    let seen = await launch(`${site.at}/`)
    seen = await act({ action: "click", at: { element: number(seen, "Buy") } })
    expect(seen).toMatchObject({ title: "bought", messages: ["console log: sold", `GET ${site.at}/gone: status 404`] })
    await act({ action: "click", at: { element: number(seen, "Name") } })
    await act({ action: "type", text: "Zoë" })
    await act({ action: "press", key: "Backspace" })
    seen = await act({ action: "hover", at: { x: 1, y: 1 } })
    expect(seen.outline).toContain('"Name = Zo"')
    expect((await act({ action: "scroll_down" })).outline).toMatch(/"Cart" \d+,-\d+ \(above\)/)
    expect((await act({ action: "scroll_up" })).outline).toMatch(/"Cart" \d+,\d+$/m)
    expect((await act({ action: "click", at: { element: number(seen, "Bottom") } })).title).toBe("deep")
    seen = await act({ action: "resize", width: 400, height: 300 }, "png")
    expect(Buffer.from(seen.image?.data ?? "", "base64").readUInt32BE(16)).toBe(400)
    await act({ action: "resize", width: 900, height: 600 })
    const cart = /"Cart" (\d+),(-?\d+)/.exec((await launch(`${site.at}/`)).outline) ?? []
    seen = await act({
      action: "click",
      at: { x: Number(cart[1]) * 2, y: Number(cart[2]) * 2, of: { width: 1800, height: 1200 } },
    })
    expect(seen).toMatchObject({ url: `${site.at}/cart`, title: "Cart" })
  })

  it("says what is wrong with a place, a number or a key", async () => {
    await launch(`${site.at}/cart`)
    await expect(act({ action: "click", at: { element: 99 } })).rejects.toThrow("no element 99 on the page now")
    await expect(act({ action: "click", at: { x: 5000, y: 1 } })).rejects.toThrow("is not on the page, which is 900x600")
    await expect(act({ action: "press", key: "Hyper" })).rejects.toThrow("no key named Hyper")
  })

  it("stays on its site, closes other windows and dismisses dialogs, and tells so", async () => {
    const seen = await launch(`${site.at}/`)
    const click = async (name: string) =>
      (await act({ action: "click", at: { element: number(seen, name) } })).messages.join("\n")
    expect(await click("elsewhere")).toContain("wanted to go to http://example.com/, another site, and was not let")
    expect(await click("Ask")).toContain("dialog (alert), dismissed: really?")
    expect(await click("window")).toMatch(/A window with .*\/cart was opened, and closed/)
    await expect(launch(`${site.at}/away`)).rejects.toThrow("leads to another site, http://example.com/. Launch that address")
  })

  it("is called off at once", async () => {
    const stop = new AbortController()
    const waiting = browser.act({ action: "launch", url: `${site.at}/` }, { signal: stop.signal, image: "none" })
    stop.abort(new Error("enough"))
    await expect(waiting).rejects.toThrow("enough")
    expect((await launch(`${site.at}/cart`)).title).toBe("Cart")
  })

  it("is closed, and can be opened again", async () => {
    await act({ action: "close" })
    expect(browser.address()).toBeUndefined()
    expect((await launch(`${site.at}/cart`)).title).toBe("Cart")
  })
})

describe.skipIf("problem" in found)(`a hostile page ${needed}`, { timeout: SLOW }, () => {
  it("S33: reaches nothing private from a public page: no fetch, image, frame, socket, beacon or redirect", async () => {
    const victim = await serve({ "/": "SECRET" })
    const { port } = new URL(victim.at)
    const evil = await serve(
      {
        "/": `<title>evil</title><script>for (const host of ["127.0.0.1", "localhost", "rebound.example", "0.0.0.0"]) {
          const at = host + ":${port}/"
          fetch("http://" + at, { mode: "no-cors" }).then(() => console.log("GOT IT"), () => {})
          new Image().src = "http://" + at + "image"
          new WebSocket("ws://" + at)
          navigator.sendBeacon("http://" + at + "beacon", "x")
          document.write('<iframe src="http://' + at + 'frame"></iframe><link rel=preconnect href="http://' + at + '">')
        }
        fetch("/bounce", { mode: "no-cors" }).catch(() => {})
        document.write('<iframe src="/bounce"></iframe>')</script>`,
        "/bounce": (_, answer) => answer.writeHead(302, { location: `http://127.0.0.1:${port}/bounced` }).end(),
      },
      "127.0.0.9",
    )
    // 127.0.0.9 stands for a public address.
    const { browser, launch } = browse({
      isPublic: (address) => address === "127.0.0.9",
      lookup: async (name) => [{ address: name === "evil.example" ? "127.0.0.9" : "127.0.0.1", family: 4 }],
    })
    onTestFinished(async () => {
      await browser.close()
      victim.close()
      evil.close()
    })
    const seen = await launch(`http://evil.example:${new URL(evil.at).port}/`)
    expect(evil.asked).toContain("/bounce")
    expect(victim.asked).toEqual([])
    expect(seen.messages.join("\n")).toContain("127.0.0.1 is not a public address; the page may not reach it")
    expect(seen.messages.join("\n")).not.toContain("GOT IT")
    // And one of this machine, that somebody wants to see, is reached by itself.
    expect((await launch(`http://localhost:${port}/`)).outline).toBe("SECRET")
    expect(victim.asked).toEqual(["/"])
  })

  it("is told of in one line and survived, whatever it does: each one after the other in the same browser", async () => {
    const site = await serve({
      "/redirects": (_, answer) => answer.writeHead(302, { location: `/redirects?${Math.random()}` }).end(),
      "/download": (_, answer) => answer.setHeader("content-type", "application/zip").end("x"),
      "/slow": (_, answer) => void answer.write("<h1>Half</h1>"),
      "/ask": "<script>for (;;) alert('again')</script>",
      "/print": "<script>setInterval(() => { for (let i = 0; i < 500; i++) console.log('x' + i) }, 0)</script>",
      "/loop": "<h1>Loop</h1><script>setTimeout(() => { for (;;); }, 200)</script>",
      "/crash": "<script>const a = []; for (;;) a.push(new Array(1e6).fill(a.length + 0.5))</script>",
      "/calm": "<title>calm</title>",
    })
    const { browser, launch } = browse()
    onTestFinished(async () => {
      await browser.close()
      site.close()
    })
    const told = (path: string) =>
      launch(site.at + path).then(
        ({ outline, messages }) => [outline, ...messages].join("\n"),
        (error: Error) => error.message,
      )
    expect(await told("/redirects")).toMatch(/cannot be opened: ERR_TOO_MANY_REDIRECTS$/)
    expect(await told("/download")).toMatch(/is a download, not a page; it was refused\.$/)
    expect(await told("/slow")).toMatch(/^# Half\nIt was not loaded after 2\.5 seconds; this is what there is so far\./)
    for (const path of ["/ask", "/print", "/crash"]) expect((await told(path)).length, path).toBeLessThan(9000)
    expect(await told("/loop")).toContain("The page does not answer")
    expect((await launch(`${site.at}/calm`)).title).toBe("calm")
  })

  it("ends with the task, and with Joey itself when that is killed", async () => {
    const site = await serve({ "/": "<title>here</title>" })
    onTestFinished(site.close)
    const mark = `joey-test-${process.pid}-${Date.now()}`
    const script = `const { openBrowser } = await import("./src/host/browser.ts")
      const browser = openBrowser()
      await browser.act({ action: "launch", url: "${site.at}/" }, { signal: new AbortController().signal, image: "none" })
      console.log("ready"); setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
      env: { ...process.env, MARK: mark },
      stdio: ["ignore", "pipe", "inherit"],
    })
    await once(child.stdout, "data")
    expect(browsersOf(mark)).toBeGreaterThan(0)
    child.kill("SIGKILL")
    for (let waited = 0; waited < 5000 && browsersOf(mark) > 0; waited += 100) await sleep(100)
    expect(browsersOf(mark)).toBe(0)
    const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`joey-browser-${child.pid}-`))
    expect(left()).toHaveLength(1)
    const { browser, launch } = browse()
    await launch(`${site.at}/`)
    expect(left()).toEqual([])
    await browser.close()
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`joey-browser-${process.pid}-`))).toEqual([])
  })
})

/** How many processes besides the one that was started have this in their environment. */
function browsersOf(mark: string): number {
  const { stdout } = spawnSync(
    "sh",
    [
      "-c",
      `grep -lz "MARK=${mark}" /proc/[0-9]*/environ 2>/dev/null | xargs -r -n1 dirname | while read d; do tr '\\0' ' ' < $d/cmdline; echo; done | grep -c -- --remote-debugging-pipe || true`,
    ],
    { encoding: "utf8" },
  )
  return Number(stdout)
}
