// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of shell lines
/** Random lines, run by real shells in an empty folder with harmless programs: whatever ran must have been seen, or doubted. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ParsedLine, parseCommandLine } from "./parse.ts"

const LINES = 400
const PIECES = [
  ..."aa bb cc evil ; && || | & ( ) { } $( ` # \\ $X ' \" $' [[ ]] if then fi else do done ! = $v ${X} ${X:-evil} \\; \\' ~ * <( <<< -c".split(
    " ",
  ),
  ...'2>&1 >&2 [ ] ;; esac $((1+1)) {aa,bb} a{1,2} X=evil X=evil; eval x#y |& time elif \\$ $" (( )) () aa() coproc function'.split(
    " ",
  ),
  ...[
    "aa x",
    "bb -f",
    "cc 'q r'",
    " ",
    "\n",
    "\nE\n",
    "\nE",
    "\\\n",
    "> f",
    "< f",
    ">> g",
    "2> h",
    "&> i",
    "1>j",
    "case x in",
    "x)",
  ],
  ...[
    "for v in a b",
    '"$(evil)"',
    "'evil'",
    'e"vi"l',
    "cd sub",
    "\t",
    "\r",
    "{ aa; }",
    "( bb )",
    "bash -c",
    "env",
    "X=1 aa",
    "\\\\",
    "é",
  ],
  ...["<<E", "<<'E'", "<<-E", "aa <<E\nq $X\nE\n", "set --", '"\\""', "<&-"],
]

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "joey-shells-"))
  mkdirSync(join(folder, "programs"))
  for (const name of ["aa", "bb", "cc", "evil"]) {
    // Each writes to a file of its own: several may run at the same time.
    const script = `#!/bin/sh\nprintf '%s\\0' ${name} "$@" > "$RAN/$$"\n`
    writeFileSync(join(folder, "programs", name), script, { mode: 0o755 })
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(["/bin/bash", "/bin/dash"])("%s", (shell) => {
  it.skipIf(!existsSync(shell))(
    `runs nothing that was not seen (skipped where there is no ${shell})`,
    { timeout: 60_000 },
    async () => {
      const roll = dice(shell.length * 7919)
      const missed: string[] = []
      let ran = 0
      for (let count = 0; count < LINES; count++) {
        const line = randomLine(roll)
        const parsed = await parseCommandLine(line)
        if (parsed.doubts.length > 0 || parsed.commands.every(({ argv }) => !/^(?:aa|bb|cc|evil)$/.test(argv[0] ?? "evil")))
          continue
        const seen = runLine(shell, line)
        ran += seen.programs.length
        for (const argv of seen.programs)
          if (!wasSeen(parsed, argv, shell)) missed.push(`${JSON.stringify(line)} ran ${argv.join("|")}`)
        for (const file of seen.files) if (!wasWritten(parsed, file)) missed.push(`${JSON.stringify(line)} wrote ${file}`)
      }
      expect(missed).toEqual([])
      expect(ran).toBeGreaterThan(20)
    },
  )
})

function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function randomLine(roll: () => number): string {
  let line = ""
  for (let left = 1 + Math.floor(roll() * 8); left > 0; left--) {
    line += PIECES[Math.floor(roll() * PIECES.length)] ?? ""
    if (roll() < 0.7) line += " "
  }
  return line
}

function runLine(shell: string, line: string): { programs: string[][]; files: string[] } {
  const [box, ran] = [join(folder, "box"), join(folder, "ran")]
  for (const place of [box, ran]) rmSync(place, { recursive: true, force: true })
  mkdirSync(join(box, "sub"), { recursive: true })
  mkdirSync(ran)
  writeFileSync(join(box, "f"), "in\n")
  // What was put into the background is waited for.
  const env = { PATH: join(folder, "programs"), HOME: box, RAN: ran }
  spawnSync(shell, ["-c", line.includes("&") ? `${line}\nwait` : line], { cwd: box, env, timeout: 3000, stdio: "ignore" })
  const files = [...readdirSync(box), ...readdirSync(join(box, "sub")).map((name) => `sub/${name}`)]
  return {
    programs: readdirSync(ran).map((name) => readFileSync(join(ran, name), "utf8").split("\0").slice(0, -1)),
    files: files.filter((name) => name !== "f" && name !== "sub"),
  }
}

function wasSeen({ commands }: ParsedLine, ran: readonly string[], shell: string): boolean {
  return commands.some(({ argv, words }) => {
    const open = argv.findIndex((word, at) => word === undefined || words[at]?.glob)
    // A plain sh leaves braces as they are: one word that does nothing more.
    const braces = shell.endsWith("dash") ? words.findIndex(({ text }) => text.includes("{")) : -1
    const sure = Math.min(...[open, braces].filter((at) => at >= 0), argv.length)
    const same = (value: string | undefined, at: number) => (words[at]?.tilde ? ran[at]?.startsWith(folder) : ran[at] === value)
    return argv.slice(0, sure).every(same) && (sure < argv.length || ran.length === argv.length)
  })
}

function wasWritten({ writes }: ParsedLine, file: string): boolean {
  return writes.some(({ target, folders }) => {
    return target.value === undefined || !folders || folders.some((one) => (one === "" ? "" : `${one}/`) + target.value === file)
  })
}
