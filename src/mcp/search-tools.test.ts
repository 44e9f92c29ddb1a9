import { describe, expect, it } from "vitest"
import { searchTools } from "./search-tools.ts"

const tool = (name: string, description: string, argumentNames: string[] = [], server = "github") => ({
  name,
  description,
  argumentNames,
  server,
})
const TOOLS = [
  tool("create_issue", "Opens an issue in a repository", ["title", "body"]),
  tool("listIssues", "Lists issues", ["state"]),
  tool("delete-repository", "Removes a repository for good"),
  tool("forecast", "Weather of the next days", ["city"], "weather"),
]
const found = (words: string, most = 5) => searchTools(TOOLS, words, most).map(({ name }) => name)

describe("looking up tools", () => {
  it.each([
    ["create an issue", "create_issue"],
    ["issues list", "listIssues"],
    ["remove repo repository", "delete-repository"],
    ["what is the weather in a city", "forecast"],
    ["listIssues", "listIssues"],
    ["delete_repository", "delete-repository"],
  ])("%j finds %s first", (words, name) => {
    expect(found(words)[0]).toBe(name)
  })

  it("gives no more than asked for, and nothing for words that nobody has", () => {
    expect(found("issue repository weather", 2)).toHaveLength(2)
    expect(found("xylophone")).toEqual([])
    expect(found("the of a")).toEqual([])
    expect(found("")).toEqual([])
  })

  it("is quick with thousands of tools", () => {
    const many = Array.from({ length: 3_000 }, (_, at) => tool(`tool_${at}`, `Does thing ${at} with ${"words ".repeat(50)}`))
    expect(searchTools(many, "thing 1234", 3)[0]?.name).toBe("tool_1234")
  })
})
