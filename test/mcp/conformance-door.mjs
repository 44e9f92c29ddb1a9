/** The command that the conformance suite runs as a client: hands what it is told to the test that waits behind JOEY_CONFORMANCE_DOOR, and ends as that did. */
import { request } from "node:http"

const { JOEY_CONFORMANCE_DOOR, MCP_CONFORMANCE_SCENARIO, MCP_CONFORMANCE_CONTEXT = "{}" } = process.env
const assignment = { url: process.argv.at(-1), scenario: MCP_CONFORMANCE_SCENARIO, context: JSON.parse(MCP_CONFORMANCE_CONTEXT) }
const asked = request(JOEY_CONFORMANCE_DOOR, { method: "POST" }, (response) => {
  process.exitCode = response.statusCode === 200 ? 0 : 1
  response.pipe(process.stderr)
})
asked.end(JSON.stringify(assignment))
