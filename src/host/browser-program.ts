/** Which browser of this machine is used: the one JOEY_BROWSER names, else a Chromium in one of the usual places. */
import { accessSync, constants, statSync } from "node:fs"
import { homedir } from "node:os"
import { delimiter, isAbsolute, join } from "node:path"

const NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
  "brave-browser",
]
const FOLDERS = ["/usr/bin", "/usr/local/bin", "/snap/bin", "/opt/google/chrome"]
const MAC = ["Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser"]
const WINDOWS = [
  "Google\\Chrome\\Application\\chrome.exe",
  "Microsoft\\Edge\\Application\\msedge.exe",
  "Chromium\\Application\\chrome.exe",
]

export type BrowserFound = { program: string } | { problem: string }

export function findBrowser(env: NodeJS.ProcessEnv = process.env, platform: string = process.platform): BrowserFound {
  const named = env["JOEY_BROWSER"]?.trim()
  if (named) {
    if (isAbsolute(named) && isProgram(named)) return { program: named }
    return { problem: `JOEY_BROWSER is ${named}, which is not the full path of a program.` }
  }
  const program = placesOf(env, platform).find(isProgram)
  if (program !== undefined) return { program }
  return { problem: "There is no browser: install Chromium (apt install chromium) or name one with JOEY_BROWSER." }
}

function placesOf(env: NodeJS.ProcessEnv, platform: string): string[] {
  if (platform === "darwin") {
    const folders = ["/Applications", join(homedir(), "Applications")]
    return folders.flatMap((folder) => MAC.map((name) => join(folder, `${name}.app`, "Contents/MacOS", name)))
  }
  if (platform === "win32") {
    const folders = [env["PROGRAMFILES"], env["PROGRAMFILES(X86)"], env["LOCALAPPDATA"]].filter((folder) => folder !== undefined)
    return folders.flatMap((folder) => WINDOWS.map((name) => join(folder, name)))
  }
  const folders = [...FOLDERS, ...(env["PATH"] ?? "").split(delimiter).filter(isAbsolute)]
  return NAMES.flatMap((name) => [...new Set(folders)].map((folder) => join(folder, name)))
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
