/** Writes dist/types/: the declarations that somebody who embeds the engine can reach from its entry, and no others. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const made = mkdtempSync(join(tmpdir(), "joey-types-"))
const target = join(root, "dist/types")

try {
  const project = join(made, "tsconfig.json")
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: join(root, "src"),
    outDir: made,
  }
  const settings = { extends: join(root, "tsconfig.json"), compilerOptions, include: [], files: [join(root, "src/index.ts")] }
  writeFileSync(
    project,
    JSON.stringify({ ...settings, compilerOptions: { ...compilerOptions, typeRoots: [join(root, "node_modules/@types")] } }),
  )
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", project], { stdio: "inherit" })
  const files = reachable(join(made, "index.d.ts"))
  rmSync(target, { recursive: true, force: true })
  for (const [file, text] of files) {
    const place = join(target, relative(made, file))
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, text)
  }
  process.stdout.write(`dist/types/: ${files.size} files\n`)
} finally {
  rmSync(made, { recursive: true, force: true })
}

/** By file: its text, with names as a compiler finds them in a package. */
function reachable(entry) {
  const found = new Map()
  const open = [entry]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue
    const here = dirname(file)
    const text = readFileSync(file, "utf8").replace(/(from |import\()"(\.[^"]+)\.ts"/g, (_, before, name) => {
      open.push(join(here, `${name}.d.ts`))
      return `${before}"${name}.js"`
    })
    found.set(file, text)
  }
  return found
}
