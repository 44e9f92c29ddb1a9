/**
 * Tells whether dist/ was made from the sources as they are now. Dependency-free: the set-up asks before anything is installed,
 * the build leaves the answer behind. Sizes and times are compared first; contents are read only when those differ.
 */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Everything outside src/ that the bundle depends on. */
const OTHER_SOURCES = ["package.json", "package-lock.json", "tsconfig.json", "scripts/build.mjs", "scripts/stamp.mjs"]
const STAMP = "dist/.stamp"

/** @returns {{ times: string, contents: string }} what a build made from these sources is marked with */
export function takeStamp(root) {
  const sources = listSources(root)
  return { times: timesOf(root, sources), contents: contentsOf(root, sources) }
}

export function writeStamp(file, stamp) {
  writeFileSync(file, `${JSON.stringify(stamp)}\n`)
}

export function distIsCurrent(root) {
  const stamp = readJson(join(root, STAMP))
  if (!stamp) return false
  const sources = listSources(root)
  const times = timesOf(root, sources)
  if (stamp.times === times) return true
  if (stamp.contents !== contentsOf(root, sources)) return false
  writeStamp(join(root, STAMP), { times, contents: stamp.contents }) // touched, checked out again: the same text
  return true
}

export function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return undefined
  }
}

export function hashOf(text) {
  return createHash("sha256").update(text).digest("hex")
}

/** Tests are not built, so changing one does not ask for a build. */
function listSources(root) {
  const files = []
  const walk = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) walk(path)
      else if (!entry.name.endsWith(".test.ts")) files.push(path)
    }
  }
  walk("src")
  return [...files.sort(), ...OTHER_SOURCES]
}

function timesOf(root, sources) {
  const lines = sources.map((path) => {
    const facts = statSync(join(root, path), { throwIfNoEntry: false })
    return facts ? `${path} ${facts.size} ${facts.mtimeMs}` : path
  })
  return hashOf(lines.join("\n"))
}

function contentsOf(root, sources) {
  const hash = createHash("sha256")
  for (const path of sources) {
    hash.update(`\n${path}\n`)
    const facts = statSync(join(root, path), { throwIfNoEntry: false })
    if (facts) hash.update(readFileSync(join(root, path)))
  }
  return hash.digest("hex")
}
