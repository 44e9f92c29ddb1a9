import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { describe, expect, it, onTestFinished } from "vitest"
import { isPublicAddress } from "./public-address.ts"
import { type WebOptions, webPages } from "./web.ts"

type Handler = (request: IncomingMessage, response: ServerResponse) => void

async function serve(handle: Handler): Promise<number> {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const here = async () => [{ address: "127.0.0.1", family: 4 }]

function fetched(url: string, options: WebOptions = {}, signal = new AbortController().signal) {
  return webPages({ allowPrivate: true, lookup: here, ...options }).fetchPage(url, { signal })
}

const text = (body: Uint8Array) => Buffer.from(body).toString()

describe("fetching a page", () => {
  it("gives its bytes, type and address", async () => {
    const port = await serve((request, response) => {
      response
        .setHeader("content-type", "text/plain; charset=utf-8")
        .end(`${request.method} ${request.url} ${request.headers.host}`)
    })
    const page = await fetched(`http://some.example:${port}/a?b=1`)
    expect(page).toMatchObject({ status: 200, contentType: "text/plain; charset=utf-8", cut: false })
    expect(page.url).toBe(`http://some.example:${port}/a?b=1`)
    expect(text(page.body)).toBe(`GET /a?b=1 some.example:${port}`)
  })

  it.each([
    ["gzip", gzipSync("packed")],
    ["deflate", deflateSync("packed")],
    ["br", brotliCompressSync("packed")],
  ])("unpacks %s", async (encoding, packed) => {
    const port = await serve((_, response) => response.setHeader("content-encoding", encoding).end(packed))
    expect(text((await fetched(`http://a.example:${port}/`)).body)).toBe("packed")
  })

  it("takes the beginning only of what is large, also of what is small and packed", async () => {
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024))
    const port = await serve((_, response) => response.setHeader("content-encoding", "gzip").end(bomb))
    const page = await fetched(`http://a.example:${port}/`)
    expect(page.cut).toBe(true)
    expect(page.body).toHaveLength(10 * 1024 * 1024)
  })

  it("follows redirects of the same site, five at most", async () => {
    const port = await serve(({ url = "" }, response) => {
      const left = Number(url.slice(1))
      if (left === 0) response.end("there")
      else response.writeHead(302, { location: `/${left - 1}` }).end()
    })
    const page = await fetched(`http://a.example:${port}/5`)
    expect([page.url, text(page.body)]).toEqual([`http://a.example:${port}/0`, "there"])
    await expect(fetched(`http://a.example:${port}/6`)).rejects.toThrow("it redirects more than 5 times")
  })

  it("does not follow to another site, and tells where it leads", async () => {
    let asked = 0
    const port = await serve((_, response) => {
      asked++
      response.writeHead(301, { location: "http://127.0.0.1:1/secret" }).end()
    })
    expect(await fetched(`http://a.example:${port}/`)).toMatchObject({ status: 301, redirect: "http://127.0.0.1:1/secret" })
    expect(asked).toBe(1)
    const wrong = await serve((_, response) => response.writeHead(301, { location: "file:///etc/passwd" }).end())
    await expect(fetched(`http://a.example:${wrong}/`)).rejects.toThrow("only http and https can be fetched")
  })

  it.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "http://localhost/",
  ])("refuses %s, which is not public", async (url) => {
    const port = await serve((_, response) => response.end("secret"))
    const address = new URL(url)
    address.port = String(port)
    await expect(fetched(address.href, { allowPrivate: false })).rejects.toMatchObject({
      code: "no-access",
      message: expect.stringContaining("webFetch.allowPrivate"),
    })
  })

  it("refuses a name with one private address among public ones, and looks it up once only", async () => {
    let asked = 0
    const lookup = async () => {
      asked++
      return [
        { address: "93.184.216.34", family: 4 },
        { address: "192.168.0.1", family: 4 },
      ]
    }
    await expect(fetched("http://a.example/", { allowPrivate: false, lookup })).rejects.toMatchObject({ code: "no-access" })
    expect(asked).toBe(1)
  })

  it("connects to the address that was judged, whatever the name says by then", async () => {
    let asked = 0
    const port = await serve((_, response) => response.end("judged"))
    const lookup = async () => [{ address: asked++ === 0 ? "127.0.0.1" : "127.0.0.2", family: 4 }]
    expect(text((await fetched(`http://changing.example:${port}/`, { lookup })).body)).toBe("judged")
    expect(asked).toBe(1)
  })

  it("says in one line what went wrong", async () => {
    const refused = await serve((_, response) => response.end())
    const line = (url: string, options?: WebOptions) => fetched(url, options).then(String, (error: Error) => error.message)
    const nobody = async () => Promise.reject(Object.assign(new Error("x"), { code: "ENOTFOUND" }))
    expect(await line("http://nowhere.example/", { lookup: nobody })).toBe(
      "http://nowhere.example/ cannot be fetched: there is no such host",
    )
    expect(await line("http://a.example:1/")).toContain("the connection was refused")
    expect(await line("ftp://a.example/")).toContain("only http and https")
    expect(await line(`http://me:secret@a.example:${refused}/`)).not.toContain("secret")
    expect(await line(`https://a.example:${refused}/`)).toMatch(/cannot be fetched: .+$/)
    const broken = await serve((_, response) => response.setHeader("content-encoding", "gzip").end("no gzip"))
    expect(await line(`http://a.example:${broken}/`)).toContain("damaged")
    const strange = await serve((_, response) => response.setHeader("content-encoding", "zpaq").end("x"))
    expect(await line(`http://a.example:${strange}/`)).toContain("zpaq")
  })

  it("does not wait for ever, whether nothing comes or a little at a time", async () => {
    const silent = await serve(() => {})
    await expect(fetched(`http://a.example:${silent}/`, { timeoutMs: 100 })).rejects.toThrow("did not answer within 0.1 seconds")
    const slow = await serve((_, response) => {
      const drip = setInterval(() => response.write("x"), 20)
      response.once("close", () => clearInterval(drip))
    })
    await expect(fetched(`http://a.example:${slow}/`, { timeoutMs: 150 })).rejects.toThrow("did not answer within")
    const never = () => new Promise<never>(() => {})
    await expect(fetched("http://a.example/", { lookup: never, timeoutMs: 50 })).rejects.toThrow("did not answer within")
  })

  it("stops when it is cancelled", async () => {
    const silent = await serve(() => {})
    await expect(fetched(`http://a.example:${silent}/`, {}, AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" })
    const soon = new AbortController()
    setTimeout(() => soon.abort(), 30)
    await expect(fetched(`http://a.example:${silent}/`, {}, soon.signal)).rejects.toMatchObject({ name: "AbortError" })
  })
})

describe("public addresses", () => {
  it.each(["8.8.8.8", "93.184.216.34", "100.63.0.1", "172.32.0.1", "2606:2800:220:1::1", "[2a00:1450::1]"])(
    "%s is one",
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )

  it.each([
    ..."0.0.0.0 10.1.2.3 100.64.0.1 100.100.100.200 127.0.0.1 127.255.0.1 169.254.169.254 172.16.0.1 172.31.9.9".split(" "),
    ..."192.0.0.1 192.168.1.1 198.18.0.1 224.0.0.1 255.255.255.255 :: ::1 fe80::1 fe80::1%eth0 fc00::1 fd00:ec2::254".split(" "),
    ..."ff02::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::7f00:1 64:ff9b::7f00:1 2002:7f00:1:: 2001:0::1 2001:db8::1 fec0::1".split(" "),
    "localhost",
    "",
  ])("%s is none", (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})
