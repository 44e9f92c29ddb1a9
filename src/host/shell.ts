/** Finds the shell that runs command lines: the configured one or bash, else /bin/sh. The person's $SHELL plays no part. */
import { constants } from "node:fs"
import { access } from "node:fs/promises"
import { delimiter, isAbsolute, join } from "node:path"

const LAST_RESORT = "/bin/sh"

export interface Shell {
  program: string
  /** The configured shell that is not here. */
  missing?: string
}

export async function findShell(configured: string | undefined, path = process.env["PATH"] ?? ""): Promise<Shell> {
  const program = await findProgram(configured ?? "bash", path)
  if (program !== undefined) return { program }
  return configured === undefined ? { program: LAST_RESORT } : { program: LAST_RESORT, missing: configured }
}

/** By name or path; those of the system come before those of the PATH. */
export async function findProgram(wanted: string, path = process.env["PATH"] ?? ""): Promise<string | undefined> {
  const places = isAbsolute(wanted)
    ? [wanted]
    : ["/bin", "/usr/bin", ...path.split(delimiter)].map((folder) => join(folder, wanted))
  for (const program of places) {
    if (isAbsolute(program) && (await isExecutable(program))) return program
  }
  return undefined
}

async function isExecutable(program: string): Promise<boolean> {
  return access(program, constants.X_OK).then(
    () => true,
    () => false,
  )
}
