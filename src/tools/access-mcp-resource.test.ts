import { describe, expect, it } from "vitest"
import { memoryHost } from "../host/memory.ts"
import type { ResourcePort } from "../types/mcp.ts"
import { accessMcpResource } from "./access-mcp-resource.ts"
import { callTool } from "./call-tool.ts"

const port: ResourcePort = {
  resourceServers: () => ["docs"],
  listResources: async (server) =>
    server === "docs"
      ? [
          { uri: "docs://guide", name: "guide", description: "How\n# to use \u001b[2Jit", isTemplate: false },
          { uri: "docs://page/{n}", name: "page", isTemplate: true },
        ]
      : undefined,
  readResource: async (server, uri) => [{ type: "text", text: `${server} has ${uri}` }],
}
const tool = accessMcpResource(port)

const host = memoryHost({})

describe("access_mcp_resource", () => {
  it("S34: reads a resource of a server", async () => {
    expect(await callTool(tool, { server_name: "docs", uri: "docs://guide" }, host)).toMatchObject({
      say: [{ type: "text", text: "docs has docs://guide" }],
    })
  })

  it("S34: lists what a server has, each on one line", async () => {
    const { say } = await callTool(tool, { server: "docs" }, host)
    expect(say).toBe(
      "Resources of docs, in the server's words:\n- docs://guide: guide; How # to use it\n- docs://page/{n}: page; fill in the braces",
    )
  })

  it("says which servers there are when there is no such server", async () => {
    await expect(callTool(tool, { server_name: "dcos" }, host)).rejects.toThrow(
      'There is no server "dcos". Did you mean docs? There are: docs.',
    )
  })

  it("S34: is asked about like any tool of a server", () => {
    expect([tool.group, tool.effect]).toEqual(["mcp", "network"])
  })
})
