/** Node processes to measure: in an environment of their own, from programs built as the product is built. */
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

/** The certificates triple Node's start, and nobody's key or setting may change what is measured. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const unwanted = /^NODE_|^JOEY_|^NO_COLOR$|^FORCE_COLOR$|_API_KEY$/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !unwanted.test(name)))
}

/** A temporary folder for as long as `use` takes. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "joey-bench-"))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Bundles a program of this folder with the options of the product's build: what a development loader adds (a helper call
 * for every function that is made) would be measured too.
 */
export async function buildProgram(name: string, folder: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`)
  if (existsSync(outfile)) return outfile
  const packages = join(folder, "node_modules") // for what is not bundled: programs that look for files beside themselves
  if (!existsSync(packages)) symlinkSync(resolve("node_modules"), packages, "junction")
  await build({
    entryPoints: [fileURLToPath(new URL(`${name}.ts`, import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    minifySyntax: true,
    external: ["@vscode/ripgrep", "@lydell/node-pty", "@photostructure/sqlite"],
    logLevel: "silent",
  })
  return outfile
}
