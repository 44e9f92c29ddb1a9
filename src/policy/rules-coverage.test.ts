import { describe, expect, it } from "vitest"
import { alikeCommands, grantedPatterns, grantWords, wholeTool } from "./rules-coverage.ts"
import { callOf } from "./test-call.ts"

const run = callOf("execute", [], { commands: [{ line: "x" }] })
const covered = (...commands: string[]) =>
  alikeCommands(
    run,
    commands.map((command) => ({ command })),
  )

describe("always, for commands", () => {
  it.each([
    ["git commit -m x", "git commit *"],
    ["npm test", "npm test *"],
    ["git commit -m 'it works'", "git commit *"],
    ["npm run build -- --fast", "npm run build *"],
    ["cargo build --release", "cargo build *"],
    ["pytest -q tests/a.py", "pytest *"],
    ["tsc --noEmit", "tsc *"],
    ["make check", "make check *"],
    ["kubectl get pods", "kubectl get *"],
  ])("S28: %s covers %s", (command, pattern) => {
    const { covers, grant } = covered(command)
    expect(covers).toBe(`commands like ${pattern}`)
    expect(grantedPatterns([grant])).toEqual([pattern])
  })

  it.each([
    ..."bash x.sh|sh run|python3 a.py|node server.js|npx thing|npm exec thing|yarn dlx thing|uv run x|perl x|deno run a".split(
      "|",
    ),
    ..."sudo apt install|env git commit|xargs rm|timeout 5 npm|nohup make x|ssh host ls|curl https://a.test|docker run x".split(
      "|",
    ),
    ..."rm a|mv a b|find src|chmod x y|git push origin|git reset --hard|git checkout main|git config x y|git -C x status".split(
      "|",
    ),
    ..."./gradlew build|/usr/bin/git commit|ls|make|npm run|gh pr|aws s3|npm test $(x)|npm test; rm|npm 'test'|git commit -m \"$x\"".split(
      "|",
    ),
  ])("S28: %s covers exactly this call", (command) => {
    expect(covered(command)).toEqual({ covers: "exactly this call", grant: "call:d1" })
  })

  it("S28: covers a line of several commands only if each of them can be covered", () => {
    expect(covered("npm test", "git commit -m x").covers).toBe("commands like npm test *, git commit *")
    expect(covered("npm test", "npm test -- b").covers).toBe("commands like npm test *")
    expect(covered("npm test", "rm a").grant).toBe("call:d1")
    expect(covered("a b", "c d", "e f", "g h").grant).toBe("call:d1")
    expect(covered().grant).toBe("call:d1")
  })

  it("S28: goes by the words that were read, and not at all where they say too little", () => {
    const command = "git commit -m 'it works'"
    expect(alikeCommands(run, [{ command, words: ["git", "commit", "-m"] }]).covers).toBe("commands like git commit *")
    expect(alikeCommands(run, [{ command, words: ["git", "commit"], coverable: false }]).grant).toBe("call:d1")
  })
})

describe("always, for a tool", () => {
  it("S28: on the network covers the one host it reaches", () => {
    const reach = (...addresses: string[]) => wholeTool(callOf("network", [], { addresses })).grant
    expect(reach("https://a.test/x", "https://A.test/y")).toBe("host:it:a.test")
    expect(reach("https://a.test/x", "https://b.test/y")).toBe("call:d1")
    expect(reach("nonsense")).toBe("call:d1")
    expect(reach()).toBe("call:d1")
  })

  it("S28: of an MCP server covers that tool, whatever it is given", () => {
    expect(wholeTool(callOf("execute", [], { group: "mcp", tool: "mcp__a__b" }))).toEqual({
      covers: "mcp__a__b, whatever it is given",
      grant: "tool:mcp__a__b:execute",
    })
  })
})

it.each([
  ["command:npm run a:b *\ngit add *", "commands like npm run a:b *, git add *"],
  ["tool:jot:write", "jot inside the workspace"],
  ["tool:mcp__a__b:execute", "mcp__a__b, whatever it is given"],
  ["host:get:a.test", "get on a.test"],
  ["call:0123", "one call exactly as it was"],
])("what was granted as %j is told as: %s", (grant, words) => expect(grantWords(grant)).toBe(words))
