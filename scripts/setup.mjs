/**
 * Brings a clone to the point where `npm start` and `npm test` can run: installs from the lock file and builds, each only when
 * needed. One line on stderr for each thing it does, none when there is nothing to do. Needs Node and npm, nothing else.
 */
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { distIsCurrent, hashOf, readJson } from "./stamp.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const installStamp = join(root, "node_modules/.joey-setup")
const LINES_OF_TAIL = 20
const STALE_LOCK_MS = 15 * 60_000

class SetupError extends Error {}

try {
  await setUp()
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  say(error.message)
  process.exitCode = 1
}

async function setUp() {
  checkNode()
  if (isInstalled() && distIsCurrent(root)) return
  const unlock = lock()
  try {
    // Asked again: another set-up may have finished while this one waited.
    if (!isInstalled()) await install()
    if (!distIsCurrent(root)) await build()
  } finally {
    unlock()
  }
}

function checkNode() {
  const wanted = readJson(join(root, "package.json"))?.engines?.node ?? ""
  const [major = 0, minor = 0] = wanted
    .replace(/[^\d.]/g, "")
    .split(".")
    .map(Number)
  const [haveMajor, haveMinor] = process.versions.node.split(".").map(Number)
  if (haveMajor > major || (haveMajor === major && haveMinor >= minor)) return
  throw new SetupError(
    `Joey needs Node ${major}.${minor} or newer, this is ${process.version}: install it from https://nodejs.org.`,
  )
}

function isInstalled() {
  if (!existsSync(join(root, "node_modules/.package-lock.json"))) return false
  const lockText = readText(join(root, "package-lock.json"))
  if (readJson(installStamp)?.lock === hashOf(lockText)) return true
  if (!installedByHand(lockText)) return false
  stampInstall(lockText)
  return true
}

/** Somebody ran `npm ci` or `npm install`: npm's own record in node_modules then says the same as the lock file. */
function installedByHand(lockText) {
  const wanted = JSON.parse(lockText || "{}").packages ?? {}
  const have = readJson(join(root, "node_modules/.package-lock.json"))?.packages ?? {}
  const paths = new Set([...Object.keys(wanted), ...Object.keys(have)].filter(Boolean))
  return [...paths].every((path) => {
    if (have[path] === undefined) return wanted[path].optional === true // made for another platform
    return have[path].version === wanted[path]?.version && have[path].integrity === wanted[path]?.integrity
  })
}

function stampInstall(lockText) {
  writeFileSync(installStamp, `${JSON.stringify({ lock: hashOf(lockText) })}\n`)
}

async function install() {
  say("Installing dependencies from package-lock.json …")
  const lockText = readText(join(root, "package-lock.json"))
  // Development packages are what builds and tests Joey; NODE_ENV=production would leave them out.
  await run("npm", ["ci", "--ignore-scripts", "--include=dev", "--no-audit", "--no-fund"], "Installing the dependencies failed")
  stampInstall(lockText)
}

async function build() {
  say("Building dist/ …")
  await run(process.execPath, ["scripts/build.mjs"], "Building failed")
}

async function run(program, args, failure) {
  const { spawnSync } = await import("node:child_process") // costs more than all that is done when there is nothing to do
  const shell = process.platform === "win32" && program === "npm" // there npm is a batch file
  const done = spawnSync(program, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 << 20,
    shell,
    stdio: ["ignore", "pipe", "pipe"],
  })
  if (done.status === 0) return
  const how = done.error ? done.error.message : done.signal ? `ended by ${done.signal}` : `exit code ${done.status}`
  const tail = `${done.stdout ?? ""}${done.stderr ?? ""}`.trimEnd().split("\n").slice(-LINES_OF_TAIL).join("\n")
  throw new SetupError(`${failure} (${program === "npm" ? "npm ci" : args.join(" ")}: ${how}).${tail ? `\n${tail}` : ""}`)
}

/** One set-up at a time per folder. The lock names its process, so that one left behind by a killed process is seen as such. */
function lock() {
  const file = join(tmpdir(), `joey-setup-${process.getuid?.() ?? 0}-${hashOf(root).slice(0, 16)}.lock`)
  let said = false
  while (!take(file)) {
    const owner = readText(file)
    if (isStale(file, owner)) removeStale(file, owner)
    else {
      if (!said) say(`Waiting for another set-up of this folder (process ${owner}) …`)
      said = true
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    }
  }
  return () => rmSync(file, { force: true })
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" })
    return true
  } catch (error) {
    if (error.code === "EEXIST") return false
    throw new SetupError(`Cannot create the lock file ${file}: ${error.message}`)
  }
}

function isStale(file, owner) {
  const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  if (age > STALE_LOCK_MS) return true
  if (!/^\d+$/.test(owner)) return age > 2000 // created, but its owner died before writing its number
  try {
    process.kill(Number(owner), 0)
    return false
  } catch (error) {
    return error.code === "ESRCH"
  }
}

/** Of two who see the same stale lock, one moves it away; who moved a fresh one instead puts it back. */
function removeStale(file, owner) {
  const aside = `${file}.${process.pid}`
  try {
    renameSync(file, aside)
    if (readText(aside) !== owner) linkSync(aside, file)
  } catch {
    // Somebody else was first.
  }
  rmSync(aside, { force: true })
}

function readText(file) {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

function say(line) {
  process.stderr.write(`${line}\n`)
}
