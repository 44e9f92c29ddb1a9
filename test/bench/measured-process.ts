/** Runs a Node program to its end and tells what it consumed. */
import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { cleanEnvironment } from "./node-process.ts"

export interface Consumed {
  cpuMs: number
  peakMb: number
  code: number | null
}

const REPORTER = fileURLToPath(new URL("report-usage.mjs", import.meta.url))

/** The built command. */
export const COMMAND = resolve("dist/joey.js")

const SETTINGS = { models: { bench: { window: 100_000_000 } }, limits: { turns: 10_000, requests: 10_000 } }

/** The built command in a workspace, with a home beside it. Its model has room enough: nothing is condensed, and no limit stops it. */
export function measureCommand(args: readonly string[], workspace: string): Promise<Consumed> {
  const home = join(workspace, "../home-of-command")
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, "settings.json"), JSON.stringify(SETTINGS))
  return measureProcess([COMMAND, ...args], workspace, { JOEY_HOME: home })
}

export function measureProcess(args: readonly string[], cwd: string, extra: Record<string, string> = {}): Promise<Consumed> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, ["--import", REPORTER, ...args], {
      cwd,
      env: { ...cleanEnvironment(), ...extra },
      stdio: ["ignore", "ignore", "inherit", "pipe"],
    })
    let report = ""
    child.stdio[3]?.on("data", (text) => {
      report += text
    })
    child.on("error", fail)
    child.on("close", (code) => done({ ...JSON.parse(report), code }))
  })
}
