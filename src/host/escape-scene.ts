/** For tests: a workspace with traps, what lies outside of it, everything a host can do to a path, and whether any of it got out. */
import { closeSync, lstatSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { Host } from "../types/host.ts"
import { temporaryFolder } from "./temporary-folder.ts"

/** Stands in every file outside of the workspace. */
export const SECRET = "secret of the outside"

export interface Scene {
  base: string
  workspace: string
  /** Descriptors of this process that hold things outside. */
  fileFd: number
  folderFd: number
}

export async function escapeScene(): Promise<Scene> {
  const base = await temporaryFolder({
    "work/a.txt": "inside",
    "work/src/sub/b.txt": "inside",
    "work-beside/secret.txt": SECRET,
    "out/secret.txt": SECRET,
    "out/deep/secret.txt": SECRET,
    "out/hooks/": "",
    "home/.ssh/id_rsa": SECRET,
  })
  const fileFd = openSync(join(base, "out/secret.txt"), "r")
  const folderFd = openSync(join(base, "out"), "r")
  onTestFinished(() => {
    closeSync(fileFd)
    closeSync(folderFd)
  })
  return { base, workspace: join(base, "work"), fileFd, folderFd }
}

const WRITTEN = "overwritten"

/** Everything that gives something of a path away. What comes back is text. */
export const LOOKS = {
  stat: async (host: Host, path: string) => ((await host.stat(path)) === undefined ? "nothing there" : "something there"),
  readFile: async (host: Host, path: string) => textOf(await host.readFile(path)),
  readHead: async (host: Host, path: string) => textOf(await host.readHead(path, 100)),
  readLines: async (host: Host, path: string) => (await host.readLines(path, { offset: 1, limit: 10 })).lines.join("\n"),
  run: async (host: Host, path: string) => {
    let heard = ""
    // Links in the folder are the command's own business: only files of the folder itself are printed.
    await host.run(
      { shell: "find . -maxdepth 1 -type f -exec cat {} +" },
      { cwd: path, timeoutMs: 5000, onOutput: (text) => (heard += text) },
    )
    return heard
  },
}

/** Everything that changes what is there. */
export const CHANGES = {
  writeFile: async (host: Host, path: string) => String(await host.writeFile(path, WRITTEN)),
  "applyChanges, writing": async (host: Host, path: string) => String(await host.applyChanges([{ path, content: WRITTEN }])),
  "applyChanges, after another": async (host: Host, path: string) =>
    String(
      await host.applyChanges([
        { path: "other.txt", content: WRITTEN },
        { path, content: WRITTEN },
      ]),
    ),
  "applyChanges, moving": async (host: Host, path: string) =>
    String(
      await host.applyChanges([
        { path: "moved.txt", content: WRITTEN, from: path },
        { path, remove: true },
      ]),
    ),
  "applyChanges, removing": async (host: Host, path: string) => String(await host.applyChanges([{ path, remove: true }])),
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1")
}

/** All names, kinds and contents outside of the workspace. */
export function outsideOf({ base }: Scene): string {
  return ["out", "work-beside", "home"].map((name) => picture(join(base, name))).join("\n")
}

export function picture(path: string): string {
  const facts = lstatSync(path)
  if (facts.isSymbolicLink()) return `${path} -> ${readlinkSync(path)}`
  if (facts.isDirectory()) {
    return [
      path,
      ...readdirSync(path)
        .sort()
        .map((name) => picture(join(path, name))),
    ].join("\n")
  }
  return `${path} ${facts.ino} ${facts.mode} ${facts.isFile() ? readFileSync(path, "latin1") : ""}`
}

/** Takes the doors of Linux away until the test ends: the host then does as on other systems. */
export function withoutDoors(): void {
  const { platform } = process
  Object.defineProperty(process, "platform", { value: "darwin" })
  onTestFinished(() => void Object.defineProperty(process, "platform", { value: platform }))
}
