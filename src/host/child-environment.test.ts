import { expect, it } from "vitest"
import { vendors } from "../providers/vendors.ts"
import { childEnvironment, isOurKey } from "./child-environment.ts"

it("A.12.35: keeps keys of model vendors and everything of our own from commands", () => {
  const kept = childEnvironment(
    {
      OPENAI_API_KEY: "1",
      ANTHROPIC_AUTH_TOKEN: "2",
      openrouter_api_key: "3",
      GOOGLE_GENERATIVE_AI_API_KEY: "4",
      JOEY_ANYTHING: "5",
      CLAUDE_CODE_OAUTH_TOKEN: "6",
      MY_KEY: "7",
      PATH: "/bin",
    },
    ["MY_KEY"],
  )
  expect(Object.keys(kept).filter((name) => /KEY|OAUTH|AUTH|JOEY/i.test(name))).toEqual([])
  expect(kept["PATH"]).toBe("/bin")
})

it.each([
  "GITHUB_TOKEN",
  "NPM_TOKEN",
  "AWS_SECRET_ACCESS_KEY",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "GOOGLE_MAPS_API_KEY",
  "ROOT_TOKEN",
  "OPENAI_BASE_URL",
  "KEYBOARD",
])("leaves %s to the project", (name) => {
  expect(isOurKey(name)).toBe(false)
  expect(childEnvironment({ [name]: "x" })[name]).toBe("x")
})

it("A.12.35: knows the key of every vendor that we know", () => {
  const names = vendors.flatMap(({ keyVariables }) => keyVariables)
  expect(names.length).toBeGreaterThan(3)
  expect(names.filter((name) => !isOurKey(name))).toEqual([])
})

it.each(["OPENAI_API_KEY_2", "OPENAI_API_KEY2", "ANTHROPIC_API_KEY_WORK", "GEMINI_API_KEYS", "MISTRAL_APIKEY", "HF_TOKEN"])(
  "A.12.35: knows %s for a key of ours",
  (name) => expect(isOurKey(name)).toBe(true),
)

it.each(["OPENAI_TOKEN_LIMIT", "LLAMA_KEYBOARD", "OPENAI_API_KEY_FILE_FORMAT", "MY_OPENAI_API_KEY"])(
  "takes %s for no key",
  (name) => expect(isOurKey(name)).toBe(false),
)

it("A.12.35: a name that a person gave counts in either case", () => {
  expect(childEnvironment({ my_key: "1", MY_KEY: "2", MY_KEYS: "3" }, ["My_Key"])).toMatchObject({ MY_KEYS: "3" })
  expect(Object.keys(childEnvironment({ my_key: "1", MY_KEY: "2" }, ["My_Key"]))).not.toContain("my_key")
  expect(Object.keys(childEnvironment({ my_key: "1", MY_KEY: "2" }, ["My_Key"]))).not.toContain("MY_KEY")
})

it("drops what would give a judged line another meaning", () => {
  const ours = {
    BASH_ENV: "x",
    ENV: "x",
    CDPATH: "x",
    GREP_OPTIONS: "x",
    "BASH_FUNC_ls%%": "() { rm; }",
    SHELLOPTS: "xtrace",
    PS4: "$(rm x)",
    ENVIRONMENT: "kept",
  }
  const { ENVIRONMENT, ...others } = childEnvironment(ours)
  expect(ENVIRONMENT).toBe("kept")
  expect(Object.keys(others).filter((name) => name in ours)).toEqual([])
})

it("lets nothing page, prompt or be mistaken for our own npm start", () => {
  const kept = childEnvironment({
    PAGER: "less",
    npm_package_name: "joey",
    INIT_CWD: "/x",
    npm_config_registry: "r",
    FORCE_COLOR: "1",
  })
  expect(kept).toMatchObject({ PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0", npm_config_registry: "r" })
  expect(kept["npm_package_name"]).toBeUndefined()
  expect(kept["INIT_CWD"]).toBeUndefined()
  expect(kept["FORCE_COLOR"]).toBeUndefined()
})
