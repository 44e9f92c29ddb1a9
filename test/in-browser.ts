/** A page as Chromium has it, without a window, a profile or the network of this machine. */
import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

export const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
)
const SWITCHES = [
  ..."--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update".split(" "),
  ..."--disable-sync --enable-logging=stderr --v=0 --dump-dom".split(" "),
]

/** As it stands after its scripts ran, and what the browser complained about. `anchor`: the place on it that is opened. */
export function inBrowser(page: string, anchor = ""): Promise<{ dom: string; complaints: string }> {
  const folder = mkdtempSync(join(tmpdir(), "joey-page-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const file = join(folder, "page.html")
  writeFileSync(file, page)
  return new Promise((resolve, reject) => {
    const args = [...SWITCHES, `--user-data-dir=${join(folder, "profile")}`, `file://${file}${anchor}`]
    execFile(CHROMIUM ?? "", args, { timeout: 60_000, maxBuffer: 64 * 1024 * 1024 }, (error, dom, stderr) => {
      if (error) return reject(error)
      const complaints = stderr.split("\n").filter((line) => line.includes("CONSOLE"))
      resolve({ dom, complaints: complaints.join("\n") })
    })
  })
}
