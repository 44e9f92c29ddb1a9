import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { heldKeys } from "./held-keys.ts"

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "joey-held-"))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

it("holds the keys of vendors, those the settings name, those in files, and what a name gives away", async () => {
  const home = folder()
  const file = join(home, "key.txt")
  writeFileSync(file, "key-in-a-file\n", { mode: 0o600 })
  const profiles = { a: { model: "openai/x", apiKeyEnv: "MINE" }, b: { model: "openai/y", apiKeyFile: file } }
  writeFileSync(join(home, "settings.json"), JSON.stringify({ profiles }))
  const env = { OPENAI_API_KEY: "vendor-key", MINE: "my-own-key", GITHUB_TOKEN: "github-token", DB_PASSWORD: "pass word 1" }
  const held = await heldKeys(env, { home, workspace: home })
  expect(new Set(held)).toEqual(new Set(["vendor-key", "my-own-key", "key-in-a-file", "github-token", "pass word 1"]))
})

it("holds no ordinary word, no path and no setting of ours", async () => {
  const home = folder()
  const env = {
    SSH_KEY: "/home/me/.ssh/id",
    API_TOKEN: "none",
    JOEY_HOME: home,
    PATH: "/usr/bin:/bin",
    KEYBOARD: "something-long",
  }
  expect(await heldKeys(env, { home, workspace: home })).toEqual([])
})

it("runs no command for a key", async () => {
  const home = folder()
  const ran = join(home, "ran")
  writeFileSync(join(home, "settings.json"), JSON.stringify({ apiKeyCommand: `echo secret-value | tee ${ran}` }))
  expect(await heldKeys({}, { home, workspace: home })).toEqual([])
  expect(() => rmSync(ran)).toThrow()
})
