import { spawnSync } from "node:child_process"
import { chmodSync, readFileSync, realpathSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../host/temporary-folder.ts"
import { readKey } from "./keys.ts"

const env = process.env
const secret = "hunter2-hunter2"

async function keyFile(text: string, mode = 0o600): Promise<string> {
  const file = join(await temporaryFolder({ key: text }), "key")
  chmodSync(file, mode)
  return file
}

describe("readKey", () => {
  it("finds no key, and no problem, when none is named", async () => {
    expect(await readKey({}, { env })).toEqual({ ok: true })
  })

  it("takes a variable first, then a file, then a command", async () => {
    const apiKeyFile = await keyFile("from-file")
    const all = { apiKeyEnv: "K", apiKeyFile, apiKeyCommand: "echo from-command" }
    expect(await readKey(all, { env: { K: " from-variable\n" } })).toEqual({
      ok: true,
      key: { value: "from-variable", from: "environment K" },
    })
    expect(await readKey(all, { env: {} })).toEqual({ ok: true, key: { value: "from-file", from: `file ${apiKeyFile}` } })
    expect(await readKey({ apiKeyEnv: "K", apiKeyCommand: all.apiKeyCommand }, { env: {} })).toEqual({
      ok: true,
      key: { value: "from-command", from: "the command of apiKeyCommand" },
    })
    expect(await readKey({ apiKeyEnv: "K" }, { env: {} })).toEqual({
      ok: false,
      problem: "The environment holds no key under K; set it, or change apiKeyEnv.",
    })
  })

  it("reads the first line of a file and nothing else", async () => {
    const apiKeyFile = await keyFile(`\ufeff\n${secret}\r\n# a note\n`)
    expect(await readKey({ apiKeyFile }, { env })).toMatchObject({ key: { value: secret } })
  })

  it.each([0o644, 0o640, 0o604, 0o620, 0o601])(
    "refuses a file that others can get at (%o), and says how to close it",
    async (mode) => {
      const apiKeyFile = await keyFile(secret, mode)
      const problem = `The key's file ${apiKeyFile} can be read by others and is not used; run: chmod 600 ${apiKeyFile}`
      expect(await readKey({ apiKeyFile }, { env })).toEqual({ ok: false, problem })
    },
  )

  it("says what is wrong with a file that holds no key, and waits for no pipe", async () => {
    const problemOf = async (apiKeyFile: string) => JSON.stringify(await readKey({ apiKeyFile }, { env }))
    const folder = await temporaryFolder()
    expect(await problemOf(join(folder, "none"))).toContain("does not exist")
    expect(await problemOf(folder)).toContain("is not a file")
    expect(await problemOf(await keyFile("\n \n"))).toContain("gave an empty first line")
    expect(await problemOf(await keyFile("a key with spaces"))).toContain("holds characters that no key has")
    spawnSync("mkfifo", ["-m", "600", join(folder, "pipe")])
    expect(await problemOf(join(folder, "pipe"))).toContain("is not a file")
  })

  it("takes the first line a command prints", async () => {
    const apiKeyCommand = `printf '%s\\nmore\\n' ${secret}; echo chatter >&2`
    expect(await readKey({ apiKeyCommand }, { env })).toMatchObject({ key: { value: secret } })
  })

  it("says how a command failed, without what it may have printed of the key", async () => {
    const apiKeyCommand = `echo ${secret}; echo "not signed in with ${secret} or sk-0123456789abcdef01" >&2; exit 3`
    expect(await readKey({ apiKeyCommand }, { env })).toEqual({
      ok: false,
      problem: "The command for the key failed with exit code 3: not signed in with [redacted] or [redacted]",
    })
    expect(await readKey({ apiKeyCommand: "true" }, { env })).toMatchObject({ ok: false })
    expect(await readKey({ apiKeyCommand: "kill -9 $$" }, { env })).toMatchObject({
      problem: "The command for the key was ended by SIGKILL",
    })
  })

  it("ends a command that hangs, with everything it started", async () => {
    const note = join(await temporaryFolder(), "pid")
    const apiKeyCommand = `sleep 60 & echo $! > '${note}'; wait`
    const read = await readKey({ apiKeyCommand }, { env, timeoutMs: 400 })
    expect(read).toEqual({ ok: false, problem: "The command for the key did not finish within 0.4 seconds" })
    expect(await isGone(Number(readFileSync(note, "utf8")))).toBe(true)
  })

  it("is not held up by what a command leaves in the background", async () => {
    const read = await readKey({ apiKeyCommand: `echo ${secret}; sleep 3 &` }, { env, timeoutMs: 2500 })
    expect(read).toMatchObject({ key: { value: secret } })
  })

  it("can be cancelled, before and while the command runs", async () => {
    expect(await readKey({ apiKeyCommand: "echo x" }, { env, signal: AbortSignal.abort() })).toMatchObject({ ok: false })
    const signal = AbortSignal.timeout(100)
    expect(await readKey({ apiKeyCommand: "sleep 60" }, { env, signal })).toEqual({
      ok: false,
      problem: "The command for the key was cancelled",
    })
  })

  it("runs the command in the home folder: no file of a project is taken for a program", async () => {
    expect(await readKey({ apiKeyCommand: "pwd" }, { env })).toMatchObject({ key: { value: realpathSync(homedir()) } })
  })
})

/** Gone, or dead and not yet collected by whoever inherited it. */
async function isGone(pid: number): Promise<boolean> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" })
    if (stdout.trim() === "" || stdout.startsWith("Z")) return true
    await sleep(20)
  }
  return false
}
