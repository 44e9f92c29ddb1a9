/** A page in a real browser, through the built command: asked for once a site, seen as a picture or as text, gone with the task. */
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { findBrowser } from "../../src/host/browser-program.ts"
import { type ChatRequest, repliesSoFar } from "../../src/scripted-model/chat-request.ts"
import { call, reply } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import type { JsonObject } from "../../src/types/json.ts"
import { place } from "./joey.ts"

const found = findBrowser()
const PAGE = `<title>Counter</title><button onclick="this.textContent='Clicked '+(++window.n)">Click</button><script>n=0</script>`

async function scene(images: boolean, ...inputs: JsonObject[]) {
  const site = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(PAGE))
  await new Promise<void>((done) => site.listen(0, "127.0.0.1", done))
  const at = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  const requests: ChatRequest[] = []
  const model = await startScriptedModel((request) => {
    requests.push(request)
    const input = inputs[repliesSoFar(request)]
    return input
      ? reply(call("browser_action", JSON.parse(JSON.stringify(input).replace("AT", at))))
      : reply(call("attempt_completion", { result: "Seen." }))
  })
  onTestFinished(async () => {
    site.closeAllConnections()
    site.close()
    await model.close()
  })
  const here = place()
  mkdirSync(here.home)
  const settings = { models: { scripted: { images } }, autoApprove: { network: true } }
  writeFileSync(join(here.home, "settings.json"), JSON.stringify(settings))
  return { here, at, requests, target: ["--base-url", model.url, "--model", "scripted"] }
}

describe.skipIf("problem" in found)("browser_action (needs Chromium; skipped where there is none)", { timeout: 90_000 }, () => {
  it("S33: launches a page of this machine, clicks in it and shows the picture to a model that sees", async () => {
    const { here, target, requests } = await scene(
      true,
      { action: "launch", url: "AT" },
      { action: "click", element: 1 },
      { action: "screenshot", path: "shot.png" },
    )
    const { code, stdout, stderr } = await here.run([...target, "look"])
    expect(code, stdout + stderr).toBe(0)
    const results = here
      .log()
      .flatMap((event) => (event.type === "call-finished" && event.tool === "browser_action" ? [event.content] : []))
    expect(results[0]?.map(({ type }) => type)).toEqual(["text", "image"])
    expect(JSON.stringify(results[1])).toContain("Clicked 1")
    expect(execFileSync("head", ["-c", "4", join(here.workspace, "shot.png")]).toString("latin1")).toBe("\u0089PNG")
    expect(requests[0]?.tools?.some((tool) => JSON.stringify(tool).includes("browser_action"))).toBe(true)
    expect(processesIn(here.home)).toBe(0)
  })

  it("S33: tells a model without eyes what there is, and goes on after an address that is refused", async () => {
    const { here, target, at } = await scene(
      false,
      { action: "launch", url: "http://169.254.169.254/" },
      { action: "launch", url: "AT" },
      { action: "close" },
    )
    const { code, stdout, stderr } = await here.run([...target, "look"])
    expect(code, stdout + stderr).toBe(0)
    const told = here
      .log()
      .flatMap((event) =>
        event.type === "call-finished" && event.tool === "browser_action" ? [[event.result, JSON.stringify(event.content)]] : [],
      )
    expect(told[0]?.[0]).toBe("failed")
    expect(told[0]?.[1]).toContain("private network")
    expect(told[1]?.[1]).toContain(`${at}, 900x600`)
    expect(told[1]?.[1]).toContain('[1] button \\"Click\\"')
    expect(told[1]?.[1]).not.toContain('"type":"image"')
  })
})

/** Who still runs with this Joey's home. */
function processesIn(home: string): number {
  const line = `grep -lz "JOEY_HOME=${home}" /proc/[0-9]*/environ 2>/dev/null | wc -l`
  return Number(execFileSync("sh", ["-c", line], { encoding: "utf8" }))
}
