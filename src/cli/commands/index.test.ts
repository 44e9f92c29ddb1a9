import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { codeIndexFile } from "../../code-index/place.ts"
import { temporaryFolder } from "../../host/temporary-folder.ts"
import { UsageError } from "../arguments.ts"
import { index } from "./index.ts"

const FILES = {
  "home/": "",
  "work/notes.txt": "how to bake bread",
  "work/.joeyignore": "secret.txt\n",
  "work/secret.txt": "bread",
}

async function scene(files: Record<string, string> = FILES) {
  const folder = await temporaryFolder(files)
  const file = codeIndexFile(join(folder, "home"), join(folder, "work"))
  async function tell(...args: string[]) {
    const written = { text: "", errors: "" }
    const fake: NodeJS.Process = Object.create(process, {
      env: { value: { JOEY_HOME: join(folder, "home") } },
      cwd: { value: () => join(folder, "work") },
      stdout: { value: { write: (words: string) => (written.text += words) } },
      stderr: { value: { write: (words: string) => (written.errors += words) } },
    })
    const code = await index(args, fake)
    return { code, text: written.text.replaceAll(folder, ""), errors: written.errors.replaceAll(folder, "") }
  }
  return { tell, file, folder }
}

describe("joey index", () => {
  it("builds, tells what there is, and removes it", async () => {
    const { tell, file } = await scene()
    expect((await tell("--status")).text).toBe("There is no code index of this folder yet; joey index builds it.\n")
    expect(existsSync(file)).toBe(false)
    expect((await tell()).text).toMatch(/^1 file, 1 passage: up to date after .*\.\n$/)
    expect((await tell("--status")).text).toMatch(/^1 file, 1 passage, \d.*: \/home\/index\/.*index\.sqlite\n$/)
    expect((await tell("--clear")).text).toBe("The code index of this folder is removed.\n")
    expect(existsSync(file)).toBe(false)
  })

  it("searches as the model does, without what the project keeps back", async () => {
    const { tell } = await scene()
    expect((await tell("baking", "bread")).text).toBe("notes.txt:1-1    (code: baking, bread)\n")
    const { text } = await tell("bread", "--output-format", "json")
    expect(JSON.parse(text)).toMatchObject({ v: 1, type: "index", pending: 0, hits: [{ path: "notes.txt" }] })
    expect((await tell("xylophone")).text).toBe("Nothing speaks of that.\n")
  })

  it("says in one line what cannot be done", async () => {
    const { tell } = await scene({ ...FILES, "home/index": "a file where a folder is needed" })
    expect(await tell()).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^joey: The code index cannot be opened for writing: .*\n$/),
    })
    await expect(tell("--status", "--clear")).rejects.toThrow(UsageError)
    await expect(tell("--workspace", "/")).rejects.toThrow("is no project")
  })
})
