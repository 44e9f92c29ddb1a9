/** For tests of commands: sleepers that can be told apart, and where ripgrep is. */
import { spawnSync } from "node:child_process"
import { rgPath } from "@vscode/ripgrep"

export const ripgrep = async () => rgPath

/** A number of seconds that no other sleeper has. */
export function uniqueSleep(): string {
  return `9${Math.floor(Math.random() * 1e8)}.5`
}

/** How many processes sleep for so long. */
export function sleepers(seconds: string): number {
  return spawnSync("pgrep", ["-f", `^sleep ${seconds}$`])
    .stdout.toString()
    .split("\n")
    .filter(Boolean).length
}
