/** The archive of a report: one that any tar opens, without secrets, also of a log that is damaged. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { reportFiles } from "./report.ts"
import { tarGz } from "./tar.ts"

const textOf = (name: string, ...parts: Parameters<typeof reportFiles>) =>
  reportFiles(...parts).find((file) => file.name === name)?.text ?? ""

describe("an archive", () => {
  it("is opened by tar, with files of any length, private to their owner", () => {
    const folder = mkdtempSync(join(tmpdir(), "joey-tar-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const files = [0, 1, 511, 512, 513, 100_000].map((length) => ({ name: `${length}.txt`, text: "ü".repeat(length) }))
    writeFileSync(join(folder, "a.tar.gz"), tarGz("report", files))
    execFileSync("tar", ["xzf", "a.tar.gz"], { cwd: folder })
    for (const { name, text } of files) expect(readFileSync(join(folder, "report", name), "utf8")).toBe(text)
    expect(execFileSync("tar", ["tvzf", "a.tar.gz"], { cwd: folder, encoding: "utf8" })).toMatch(/^-rw-------.* report\/0\.txt/)
  })
})

describe("a report", () => {
  const empty = { about: {}, settings: {} }

  it("has the journal line by line, without keys and images, damaged lines included", () => {
    const image = JSON.stringify({ seq: 1, content: [{ type: "image", mediaType: "image/png", data: "A".repeat(5000) }] })
    const log = `${image}\n{"seq":2,"text":"sk-abcdefghijklmnopqrst and quiet-meadow"}\n{"torn sk-abcdefghijklmnopqrst`
    const text = textOf("log.jsonl", { ...empty, log }, ["quiet-meadow"])
    expect(text.split("\n")).toEqual([
      '{"seq":1,"content":[{"type":"image","mediaType":"image/png","data":"[5000 characters]"}]}',
      '{"seq":2,"text":"[redacted] and [redacted]"}',
      '{"torn [redacted]',
    ])
  })

  it("has the settings without what is meant for a server or a program", () => {
    const settings = {
      profiles: { a: { model: "m", headers: { "x-team": "our team" }, apiKeyCommand: "pass show key/of/mine" } },
      tools: { env: { PLAIN: "word" } },
    }
    expect(JSON.parse(textOf("settings.json", { ...empty, settings }, []))).toEqual({
      profiles: { a: { model: "m", headers: { "x-team": "[redacted]" }, apiKeyCommand: "pass …" } },
      tools: { env: { PLAIN: "[redacted]" } },
    })
  })

  it("leaves out what there is not", () => {
    expect(reportFiles(empty, []).map(({ name }) => name)).toEqual(["about.json", "settings.json"])
    expect(textOf("defects.log", { ...empty, defects: "at x (token=a1b2c3d4e5f6)" }, [])).toBe("at x (token=[redacted])")
  })
})
