/**
 * Writes docs/seed-coverage.md: each numbered point of docs/seed-points.json, the tests whose names carry its number, and whether
 * they pass. Usage: `npm run seeds` runs the tests; `npm run seeds -- results.json` reads a finished run (vitest's JSON reporter).
 * The same results give the same bytes: no times, no dates, no paths of this machine.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const MOST_NAMES_PER_FILE = 12

const sections = JSON.parse(readFileSync(join(root, "docs/seed-points.json"), "utf8"))
const results = process.argv[2] ? JSON.parse(readFileSync(process.argv[2], "utf8")) : runTests()
const found = collect(results)
const rows = sections.flatMap(({ points }) => Object.keys(points).map((number) => judge(number, found.get(number) ?? [])))
writeFileSync(join(root, "docs/seed-coverage.md"), render(sections, new Map(rows.map((row) => [row.number, row]))))
process.stdout.write(`docs/seed-coverage.md: ${summary(rows)}\n`)

function runTests() {
  const folder = mkdtempSync(join(tmpdir(), "joey-seeds-"))
  const file = join(folder, "results.json")
  try {
    execFileSync(process.execPath, [join(root, "scripts/setup.mjs")], { stdio: "inherit" })
    const vitest = join(root, "node_modules/vitest/vitest.mjs")
    const args = [vitest, "run", "--reporter=dot", "--reporter=json", `--outputFile.json=${file}`]
    spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] })
    return JSON.parse(readFileSync(file, "utf8"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @returns {Map<string, { file: string, name: string, status: string }[]>} tests by the number their names carry */
function collect({ testResults }) {
  const byNumber = new Map()
  for (const { name: path, assertionResults } of testResults) {
    const file = relative(root, path).split(sep).join("/")
    for (const { fullName, title, status } of assertionResults) {
      for (const number of numbersIn(fullName))
        byNumber.set(number, [...(byNumber.get(number) ?? []), { file, name: title, status }])
    }
  }
  return byNumber
}

/** "S3", "S3, S4", and the range "S1–S6" or "S1-6". */
function numbersIn(name) {
  const numbers = new Set()
  for (const [, from, to] of name.matchAll(/\bS(\d{1,2})(?:\s*[–-]\s*S?(\d{1,2}))?\b/g)) {
    for (let number = Number(from); number <= Number(to ?? from); number++) numbers.add(`S${number}`)
  }
  return numbers
}

function judge(number, tests) {
  const run = tests.filter(({ status }) => status === "passed" || status === "failed")
  const state = run.length === 0 ? "open" : run.every(({ status }) => status === "passed") ? "passed" : "failed"
  return { number, state, tests: run }
}

function summary(rows) {
  const count = (state) => rows.filter((row) => row.state === state).length
  return `${rows.length} points, ${count("passed")} passed, ${count("failed")} failed, ${count("open")} open`
}

function render(sections, rows) {
  const lines = ["# Which points are proved, and by which tests", "", "Written by `npm run seeds`; not edited by hand.", ""]
  lines.push(
    `${summary([...rows.values()])}. A point is open while no test names it; it has passed when every test that names it does, which does not say that nothing of it is left to build.`,
    "",
  )
  for (const { section, points } of sections) {
    lines.push(`## ${section}`, "", "| # | point | state | tests |", "|---|---|---|---|")
    for (const [number, title] of Object.entries(points)) {
      const { state, tests } = rows.get(number)
      lines.push(`| ${number} | ${cell(title)} | ${state} | ${tests.length || ""} |`)
    }
    lines.push("")
  }
  lines.push("## The tests", "")
  for (const row of rows.values()) if (row.tests.length > 0) lines.push(...renderTests(row), "")
  return `${lines.join("\n").trimEnd()}\n`
}

function renderTests({ number, tests }) {
  const lines = [`**${number}**`, ""]
  for (const file of [...new Set(tests.map((test) => test.file))].sort()) {
    const own = tests.filter((test) => test.file === file)
    // Failures first: they must not be among those left out.
    own.sort((a, b) => compare(a.status, b.status) || compare(a.name, b.name))
    const shown = own
      .slice(0, MOST_NAMES_PER_FILE)
      .map(({ name, status }) => `${status === "failed" ? "FAILED: " : ""}${oneLine(name)}`)
    const more = own.length > shown.length ? [`and ${own.length - shown.length} more`] : []
    lines.push(`- \`${file}\`: ${[...shown, ...more].join(" · ")}`)
  }
  return lines
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0
}

function cell(text) {
  return oneLine(text).replaceAll("|", "\\|")
}

function oneLine(text) {
  return text.replace(/\s+/g, " ").trim()
}
