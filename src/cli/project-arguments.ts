/** The arguments of commands that look at a project without starting a task: `--workspace`, `--mode`, and switches of their own. */
import { accessSync, constants, realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { nearNames } from "../text/near-names.ts"
import { onOneLine, visible } from "../text/printable.ts"
import type { Finding } from "../types/finding.ts"
import type { Mode } from "../types/mode.ts"
import { HELP, UsageError } from "./arguments.ts"

export interface ProjectArguments {
  workspace: string
  mode?: string
  /** Those of the command's switches that were given. */
  given: ReadonlySet<string>
}

export function readProjectArguments(args: readonly string[], cwd: string, switches: readonly string[] = []): ProjectArguments {
  const { workspace = cwd, mode, ...rest } = parse(args, switches)
  return {
    workspace: checkFolder(resolve(cwd, String(workspace))),
    ...(typeof mode === "string" && { mode }),
    given: new Set(Object.keys(rest)),
  }
}

function parse(args: readonly string[], switches: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        workspace: { type: "string", short: "w" },
        mode: { type: "string" },
        ...Object.fromEntries(switches.map((name) => [name, { type: "boolean" as const }])),
      },
    })
    return values
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(/\.\s|\n/)[0] : String(error)
    throw new UsageError(`${reason}. See joey --help.`)
  }
}

/** Where it really leads. A folder that cannot be looked into is none. */
export function checkFolder(path: string): string {
  try {
    if (!statSync(path).isDirectory()) throw new UsageError(`${path} is not a folder; choose one with --workspace DIR.`)
    accessSync(path, constants.R_OK | constants.X_OK)
    return realpathSync(path)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code } = error as NodeJS.ErrnoException
    const why = code === "ENOENT" ? "does not exist" : code === "EACCES" ? "cannot be read" : `cannot be used (${code})`
    throw new UsageError(`The folder ${path} ${why}; choose another with --workspace DIR.`)
  }
}

export function checkMode(slug: string, modes: readonly Mode[]): string {
  const slugs = modes.map((mode) => mode.slug)
  if (slugs.includes(slug)) return slug
  const [near] = nearNames(slug, slugs)
  throw new UsageError(`There is no mode "${slug}"${near ? ` (${near}?)` : ""}; choose from ${slugs.join(", ")}.`)
}

export function showHelp(stdout: { write(text: string): unknown }): number {
  stdout.write(HELP)
  return 0
}

/** One line each, once, where they do not mix with what the command prints. */
export function reportFindings(findings: readonly Finding[], { stderr }: Pick<NodeJS.Process, "stderr">): void {
  const lines = findings.map(({ file, line, reason }) => `${file}${line === undefined ? "" : `:${line}`}: ${reason}`)
  for (const line of new Set(lines)) stderr.write(`joey: ${onOneLine(visible(line))}\n`)
}
