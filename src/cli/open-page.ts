/** Shows a web page in the person's own browser, where there is one to be seen. Never through a shell, and only for web addresses. */
import { spawn } from "node:child_process"

/** undefined on a machine without a screen: the person opens the address themselves. */
export function browserOpener(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): ((page: string) => void) | undefined {
  const isSeen = platform === "darwin" || platform === "win32" || env["DISPLAY"] || env["WAYLAND_DISPLAY"]
  if (!isSeen) return undefined
  return (page) => {
    if (!/^https?:$/.test(new URL(page).protocol)) return
    const [command, ...args] = commandFor(platform)
    const child = spawn(command, [...args, page], { stdio: "ignore", detached: true })
    child.on("error", () => {}) // there is none; the address is on the screen
    child.unref()
  }
}

function commandFor(platform: NodeJS.Platform): [string, ...string[]] {
  if (platform === "darwin") return ["open"]
  return platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler"] : ["xdg-open"]
}
