/** A workspace and a home folder with files for one test, gone when the test ends. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"

/** A link's target, relative to the place where the link lies. */
export interface Link {
  to: string
}

/** A name that ends with `/` makes an empty folder. */
export type Files = Record<string, string | Uint8Array | Link>

/** Both lie below one folder `root`: `root/work` and `root/home`. */
export async function testFolder(files: { work?: Files; home?: Files; root?: Files }): Promise<{
  root: string
  workspace: string
  home: string
}> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "joey-test-")))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const [workspace, home] = [join(root, "work"), join(root, "home")]
  await Promise.all([mkdir(workspace), mkdir(home)])
  await write(root, files.root ?? {})
  await write(workspace, files.work ?? {})
  await write(home, files.home ?? {})
  return { root, workspace, home }
}

export async function write(folder: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(name.endsWith("/") ? path : dirname(path), { recursive: true })
    if (typeof content !== "string" && "to" in content) await symlink(content.to, path)
    else if (!name.endsWith("/")) await writeFile(path, content)
  }
}
