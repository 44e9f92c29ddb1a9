/**
 * Makes dist/: the command (joey.js), the library (index.js), the chunks they load when first needed, and the demo project.
 * Bundles into a folder of its own and swaps it in whole, so that dist/ is never half a build.
 */
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import * as esbuild from "esbuild"
import { takeStamp, writeStamp } from "./stamp.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, "dist")
const building = join(root, `dist.${process.pid}`)
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** Native programs and their finders stay outside: they look for files beside themselves. */
const external = ["@vscode/ripgrep", "@lydell/node-pty", "@photostructure/sqlite", "playwright-core", "esbuild"]
/** The reader of grammars, that of the shell and those of the code index, loaded from beside the bundle. */
const LANGUAGES = "bash typescript tsx javascript python go java rust php ruby c-sharp cpp".split(" ")
const GRAMMARS = [
  "web-tree-sitter/web-tree-sitter.wasm",
  ...LANGUAGES.map((language) => `@vscode/tree-sitter-wasm/wasm/tree-sitter-${language}.wasm`),
]
/** What a task loads before its first request. */
const START = join(root, "src/cli/commands/run-task.ts")
/** Loaded before that, or instead of it. */
const BEFORE = new Set([START, join(root, "src/cli/run-command.ts")])

/**
 * Modules of the start that something lazy shares would each become a file of their own, some sixty of them, and a file costs more than
 * what is in it. So whatever loads later says that the start is loaded by then, which is true: what they share stays in one file.
 */
const behindTheStart = {
  name: "behind-the-start",
  setup(build) {
    build.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ kind, path: named, namespace, resolveDir }) => {
      if (kind !== "dynamic-import" || namespace !== "file") return undefined
      const path = resolve(resolveDir, named)
      return BEFORE.has(path) ? undefined : { path, namespace: "later" }
    })
    build.onLoad({ filter: /.*/, namespace: "later" }, ({ path }) => ({
      contents: `import ${JSON.stringify(START)}; export * from ${JSON.stringify(path)}`,
      resolveDir: root,
    }))
  },
}

/** Parts of Node that take time to load and that no first request needs: they load when one of these is first called. */
const LATE = {
  "node:crypto": ["createHash", "randomBytes", "randomUUID", "timingSafeEqual"],
  "node:child_process": ["execFile", "spawn", "spawnSync"],
  "node:readline": ["createInterface"],
}
const lateParts = {
  name: "late-parts",
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, namespace, importer }) =>
      Object.hasOwn(LATE, path) && namespace === "file" && importer.startsWith(join(root, "src/"))
        ? { path, namespace: "late" }
        : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: "late" }, ({ path }) => ({
      contents: `const custom = Symbol.for("nodejs.util.promisify.custom")
function late(name) {
  const call = (...given) => process.getBuiltinModule("${path}")[name](...given)
  return Object.defineProperty(call, custom, { get: () => process.getBuiltinModule("${path}")[name][custom] })
}
${LATE[path].map((name) => `export const ${name} = /* @__PURE__ */ late("${name}")`).join("\n")}`,
    }))
  },
}

const shared = {
  // Some packages come as CommonJS for Node, which cannot be bundled; their other form can.
  mainFields: ["module", "main"],
  alias: { yaml: join(root, "node_modules/yaml/browser/index.js") },
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  write: false,
  external,
  logLevel: "silent",
}

try {
  removeLeftovers()
  await writeDefinitions()
  const stamp = takeStamp(root) // before bundling: what changes meanwhile is built the next time
  const files = await bundle()
  mkdirSync(building)
  for (const [name, text] of files) writeFileSync(join(building, name), text)
  chmodSync(join(building, "joey.js"), 0o755)
  cpSync(join(root, "src/scripted-model/demo-project"), join(building, "demo-project"), { recursive: true })
  cpSync(join(root, "src/settings/schema.json"), join(building, "settings.schema.json"))
  for (const grammar of GRAMMARS) cpSync(join(root, "node_modules", grammar), join(building, basename(grammar)))
  writeStamp(join(building, ".stamp"), stamp)
  swapIn()
  const size = [...files.values()].reduce((sum, text) => sum + text.length, 0)
  process.stdout.write(`dist/: ${files.size} files, ${Math.round(size / 1024)} KB\n`)
} catch (error) {
  rmSync(building, { recursive: true, force: true })
  process.stderr.write(`${await explain(error)}\n`)
  process.exitCode = 1
}

/** What the model is told about the tools stands in a file, so that the schema library need not load before the first request. */
async function writeDefinitions() {
  const entry = join(root, "src/tools/definitions.ts")
  const { outputFiles } = await esbuild.build({ ...shared, entryPoints: [entry] })
  const module = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`)
  const text = module.definitionsText()
  const file = join(root, "src/tools/definitions.json")
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text)
}

/** All files lie in one folder, so that a path relative to `import.meta.url` means the same in any chunk. */
async function bundle() {
  const { outputFiles } = await esbuild.build({
    ...shared,
    entryPoints: {
      joey: join(root, "src/cli/main.ts"),
      index: join(root, "src/index.ts"),
      "document-thread": join(root, "src/tools/documents/document-thread.js"), // a worker starts from a file of its own
      "symbol-thread": join(root, "src/code-index/symbol-thread.js"),
      "tool-runner": join(root, "src/host/tool-runner.js"), // and so does a process
    },
    outdir: dist,
    splitting: true, // dynamic imports stay lazy
    plugins: [behindTheStart, lateParts],
    chunkNames: "[name]-[hash]",
    minifyWhitespace: true,
    minifySyntax: true, // names stay as they are, for stack traces
    define: { JOEY_VERSION: JSON.stringify(version) },
  })
  return new Map(outputFiles.map((file) => [basename(file.path), finish(basename(file.path), file.text)]))
}

function finish(name, text) {
  const hashbang = name === "joey.js" ? "#!/usr/bin/env node\n" : ""
  const body = text.replace(/^#!.*\n/, "")
  // esbuild's stand-in for require() throws in an ES module unless a real one is in scope.
  const needsRequire = body.includes("Dynamic require of")
  const require = `import{createRequire as createRequireHere}from"node:module";const require=createRequireHere(import.meta.url);\n`
  return hashbang + (needsRequire ? require : "") + body
}

function swapIn() {
  const old = `${building}.old`
  for (let attempt = 1; ; attempt++) {
    try {
      if (existsSync(dist)) renameSync(dist, old)
      renameSync(building, dist)
      return rmSync(old, { recursive: true, force: true })
    } catch (error) {
      if (attempt === 5) throw error // another build may have swapped at the same moment, but not time and again
      rmSync(old, { recursive: true, force: true })
    }
  }
}

/** Folders of builds that were killed. A build that still runs keeps its own. */
function removeLeftovers() {
  for (const name of readdirSync(root)) {
    const owner = /^dist\.(\d+)(\.old)?$/.exec(name)?.[1]
    if (owner && !isRunning(Number(owner))) rmSync(join(root, name), { recursive: true, force: true })
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code !== "ESRCH"
  }
}

async function explain(error) {
  if (!error.errors) return `Build: ${error.message}`
  const messages = await esbuild.formatMessages(error.errors, { kind: "error", color: false })
  return messages.join("").trimEnd()
}
