/** `joey mcp login` and `logout` as a person runs them: the built command, a real authorization server, a browser that is played. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { place } from "../e2e/joey.ts"
import { startOAuthServer } from "./oauth-server.ts"

it("signs in through the printed address, calls with the token, and signs out", async () => {
  const server = await startOAuthServer({ scope: "files" })
  const { home, run } = place()
  mkdirSync(home)
  writeFileSync(join(home, "mcp.json"), JSON.stringify({ mcpServers: { guarded: { url: server.url } } }))
  const before = await run(["mcp", "call", "guarded", "act", "{}"])
  expect([before.code, before.stderr]).toEqual([1, expect.stringMatching(/^joey: [^\n]*joey mcp login guarded[^\n]*\n$/)])
  const signedIn = await run(["mcp", "login", "guarded"], {
    env: { DISPLAY: "", WAYLAND_DISPLAY: "" },
    started(child) {
      child.stdout?.on("data", (text) => {
        const [page] = /^http:\S+$/m.exec(String(text)) ?? []
        if (page) void server.browse(page)
      })
    },
  })
  expect([signedIn.code, signedIn.stderr, signedIn.stdout]).toEqual([
    0,
    "",
    expect.stringMatching(/\nSigned in at "guarded" \(.*\)\.\n$/),
  ])
  const called = await run(["mcp", "call", "guarded", "act", "{}"])
  expect([called.code, called.stdout]).toEqual([0, expect.stringContaining("done by a signed-in person")])
  const [[token = ""] = []] = [...server.tokens]
  expect(JSON.stringify([signedIn, called])).not.toContain(token)
  const out = await run(["mcp", "logout", "guarded"])
  expect([out.code, out.stdout]).toEqual([0, 'Signed out at "guarded".\n'])
}, 60_000)
