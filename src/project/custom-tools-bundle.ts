/**
 * Makes one module of a custom tool's file and everything it imports, as text, without running any of it. What is agreed to, kept and
 * run is this text. The imports that such files are written with are answered by Joey itself: nothing has to be installed.
 */
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import type { BuildFailure, BuildOptions, OnLoadResult, Plugin } from "esbuild"
import { digestOf, readRegularFile } from "./custom-tools-cache.ts"
import { isInside } from "./disk.ts"

/**
 * `inputs`: the file itself and what it imports, absolute path → digest of the content that went into the program. `line`: of the
 * file itself.
 */
export type Bundle = { program: string; inputs: Record<string, string> } | { problem: string; line?: number }

const LARGEST_INPUT = 2 * 1024 * 1024
const LARGEST_PROGRAM = 3 * 1024 * 1024
const MOST_INPUTS = 2000
const TIMEOUT_MS = 20_000

/** Imports that the process of custom tools answers, each a part of its kit. */
const KIT: Record<string, string> = { joey: "joey", "@roo-code/types": "joey", zod: "zod", "zod/v4": "zod" }

/** `within`: what the file may import must lie below this folder; anywhere when absent. Never rejects. */
export async function bundleTool(file: string, within?: string): Promise<Bundle> {
  const { context } = await import("esbuild")
  const inputs: Record<string, string> = {}
  const options = buildOptions(file, [kit(), onlyFiles(inputs, within)])
  let timer: NodeJS.Timeout | undefined
  try {
    const building = await context(options)
    timer = setTimeout(() => void building.cancel(), TIMEOUT_MS)
    try {
      const { outputFiles } = await building.rebuild()
      const program = outputFiles[0]?.text ?? ""
      if (program.length > LARGEST_PROGRAM) return { problem: "is too large together with what it imports" }
      return { program, inputs }
    } finally {
      await building.dispose()
    }
  } catch (error) {
    return problemIn(error, file)
  } finally {
    clearTimeout(timer)
  }
}

function buildOptions(file: string, plugins: Plugin[]) {
  const url = pathToFileURL(file).href
  return {
    entryPoints: [file],
    absWorkingDir: dirname(file),
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    charset: "utf8",
    logLevel: "silent",
    legalComments: "none",
    treeShaking: true,
    tsconfigRaw: "{}", // a project's own could lead the imports anywhere
    loader: { ".txt": "text", ".md": "text" },
    define: {
      "import.meta.url": JSON.stringify(url),
      "import.meta.dirname": JSON.stringify(dirname(file)),
      "import.meta.filename": JSON.stringify(file),
      __dirname: JSON.stringify(dirname(file)),
      __filename: JSON.stringify(file),
    },
    plugins,
  } satisfies BuildOptions
}

function kit(): Plugin {
  return {
    name: "kit",
    setup(build) {
      build.onResolve({ filter: /^(?:joey|@roo-code\/types|zod(?:\/v4)?)$/ }, ({ path }) => ({ path, namespace: "kit" }))
      build.onLoad({ filter: /.*/, namespace: "kit" }, ({ path }) => ({
        contents: `module.exports = globalThis[Symbol.for("joey.tool-kit")].${KIT[path]}`,
      }))
    },
  }
}

/** Devices and pipes have no end, and a project has no business in the files of somebody else. Notes exactly what was read. */
function onlyFiles(inputs: Record<string, string>, within: string | undefined): Plugin {
  return {
    name: "only files",
    setup(build) {
      build.onLoad({ filter: /.*/, namespace: "file" }, ({ path }): OnLoadResult => {
        const refuse = (text: string) => ({ errors: [{ text }] })
        if (within !== undefined && !isInside(within, path)) return refuse(`${path} lies outside the project`)
        if (Object.keys(inputs).length === MOST_INPUTS) return refuse(`more than ${MOST_INPUTS} files are imported`)
        const read = readRegularFile(path, LARGEST_INPUT)
        if (!read) return refuse(`${path} is no file of at most ${LARGEST_INPUT / 1024} KB that can be read`)
        inputs[path] = digestOf(read.bytes)
        return { contents: read.bytes, loader: "default" }
      })
    },
  }
}

function problemIn(error: unknown, file: string): Bundle {
  const [first] = isBuildFailure(error) ? error.errors : []
  if (!first) return { problem: `cannot be read: ${error instanceof Error ? oneLine(error.message) : String(error)}` }
  const { text, location } = first
  const at = location && join(dirname(file), location.file)
  if (at === file) return { problem: oneLine(text), line: location?.line ?? 1 }
  return { problem: location ? `${oneLine(text)} (in ${location.file}:${location.line})` : oneLine(text) }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, 500)
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors)
}
