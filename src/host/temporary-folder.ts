/** A folder with files for one test, gone when the test ends. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"

/** A name that ends with `/` makes an empty folder. */
export async function temporaryFolder(files: Record<string, string | Uint8Array> = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "joey-test-")))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(name.endsWith("/") ? path : dirname(path), { recursive: true })
    if (!name.endsWith("/")) await writeFile(path, content)
  }
  return folder
}
