/** The command line → options, or one line that says what is wrong with it. */
import { describe, expect, it } from "vitest"
import { HELP, readArguments, UsageError } from "./arguments.ts"

const DEFAULTS = { words: [], plain: false, continue: false, trustProject: false, format: "text", limits: {}, help: false }

describe("what is understood", () => {
  it("nothing at all", () => expect(readArguments([])).toEqual(DEFAULTS))

  it("every option, before and behind the words", () => {
    const line = [
      ..."--model openrouter/a/b --base-url http://127.0.0.1:1/v1 --wire openai-chat --api-key-env MY_KEY --mode code".split(" "),
      "fix the test",
      ..."--workspace /w --yes --prompt-file p.md --continue --trust-project --output-format stream-json --limit turns=5 --limit cost=0.5".split(
        " ",
      ),
    ]
    expect(readArguments(line)).toEqual({
      words: ["fix the test"],
      model: "openrouter/a/b",
      baseUrl: "http://127.0.0.1:1/v1",
      wire: "openai-chat",
      apiKeyEnv: "MY_KEY",
      mode: "code",
      workspace: "/w",
      approval: "yes",
      promptFile: "p.md",
      plain: false,
      continue: true,
      trustProject: true,
      format: "stream-json",
      limits: { turns: 5, cost: 0.5 },
      help: false,
    })
  })

  it("short forms, equals signs, and words that look like options behind --", () => {
    expect(readArguments(["-y", "-c", "-m", "x", "-w", "."])).toMatchObject({
      approval: "yes",
      continue: true,
      model: "x",
      workspace: ".",
    })
    expect(readArguments(["--model=a=b"])).toMatchObject({ model: "a=b" })
    expect(readArguments(["--", "--yes", "is a word"])).toEqual({ ...DEFAULTS, words: ["--yes", "is a word"] })
    expect(readArguments(["-"])).toMatchObject({ words: ["-"] })
  })

  it.each([
    [[], undefined],
    [["--yes"], "yes"],
    [["--ask"], "ask"],
  ] as const)("S28: %j means to approve by %s", (args, approval) => expect(readArguments(args).approval).toBe(approval))

  it.each(["text", "json", "stream-json"])("the output format %s", (format) => {
    expect(readArguments(["--output-format", format])).toMatchObject({ format })
  })

  it.each(["turns", "mistakes", "requests", "tokens", "minutes", "cost"])("S27: a limit of %s", (name) => {
    expect(readArguments(["--limit", `${name}=7`]).limits).toEqual({ [name]: 7 })
  })
})

describe("what is not", () => {
  it.each([
    [["--wrong"], /--wrong.*--help/],
    [["--model"], /--model/],
    [["--model", "--yes"], /--model/],
    [["--yes=no"], /--yes/],
    [["--yes", "--ask"], /--yes and --ask/],
    [["--output-format", "xml"], /"xml".*text, json, stream-json/],
    [["--limit", "turns"], /turns.*NAME=N/],
    [["--limit", "turns=0"], /turns=0/],
    [["--limit", "turns=-1"], /turns=-1/],
    [["--limit", "turns=many"], /turns=many/],
    [["--limit", "turns= "], /turns=/],
    [["--limit", "turns=5=6"], /turns=5=6/],
    [["--limit", "colour=5"], /colour=5.*turns/],
  ])("%j is a matter of usage, said in one line", (args, expected) => {
    expect(() => readArguments(args)).toThrow(UsageError)
    expect(() => readArguments(args)).toThrow(expected)
    expect(() => readArguments(args)).toThrow(/^[^\n]*$/)
  })
})

it("the help names every option, format, limit and exit code", () => {
  const options =
    "--model --base-url --wire --api-key-env --mode --workspace --yes --ask --sandbox --prompt-file --continue --output-format --limit --version --help"
  for (const option of options.split(" ")) expect(HELP).toContain(option)
  for (const word of ["stream-json", "minutes", "JOEY_MODEL", "joey demo"]) expect(HELP).toContain(word)
  expect(HELP).toMatch(/0 done, 1 fault, 2 usage, 3 needs a person, 4 limit, 130 cancelled/)
  expect(HELP.split("\n").every((line) => line.length <= 110)).toBe(true)
})
