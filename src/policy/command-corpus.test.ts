/** The corpus: attempts to get past a sensible set of rules, none of which may succeed, and everyday commands, none of which may be asked about. */
import { describe, expect, it } from "vitest"
import { judgeCommand } from "./command-judge.ts"
import { ARGUMENTS } from "./shell/corpus/bypass-arguments.ts"
import { PATHS } from "./shell/corpus/bypass-paths.ts"
import { STRUCTURE } from "./shell/corpus/bypass-structure.ts"
import { WORDS } from "./shell/corpus/bypass-words.ts"
import { HARMLESS } from "./shell/corpus/harmless.ts"
import { ALLOW_ONLY, ports, RULES } from "./shell/corpus/rules.ts"
import { parseCommandLine, parseWithGrammar, plainCommand } from "./shell/parse.ts"

const ATTEMPTS = { ...STRUCTURE, ...WORDS, ...ARGUMENTS, ...PATHS }
const attempts = Object.values(ATTEMPTS).flat()
const harmless = Object.values(HARMLESS).flat()

describe("attempts to get past rules that allow other commands", () => {
  it("are at least 300, each another one", () => {
    expect(new Set(attempts).size).toBe(attempts.length)
    expect(attempts.length).toBeGreaterThanOrEqual(300)
  })

  it.each(Object.entries(ATTEMPTS))("none is allowed: %s", async (_, lines) => {
    expect(await linesJudged(lines, ({ verdict }) => verdict === "allow", ALLOW_ONLY)).toEqual([])
  })

  it.each(Object.entries(ATTEMPTS))("none is allowed with rules that deny beside: %s", async (_, lines) => {
    expect(await linesJudged(lines, ({ verdict }) => verdict === "allow", RULES)).toEqual([])
  })

  it("none is allowed without any rule, by what only looks", async () => {
    expect(await linesJudged(attempts, ({ verdict }) => verdict === "allow", [])).toEqual([])
  })

  it("each is given a reason", async () => {
    expect(
      await linesJudged(attempts, ({ reason }) => reason.trim() === "" || /undefined|\[object/.test(reason), ALLOW_ONLY),
    ).toEqual([])
  })
})

describe("everyday commands", () => {
  it("are at least 150, each another one", () => {
    expect(new Set(harmless).size).toBe(harmless.length)
    expect(harmless.length).toBeGreaterThanOrEqual(150)
  })

  it.each(Object.entries(HARMLESS))("each is allowed without asking: %s", async (_, lines) => {
    expect(await linesJudged(lines, ({ verdict }) => verdict !== "allow", RULES)).toEqual([])
  })

  it("a rule that denies everything denies each", async () => {
    const rules = [...RULES, { decision: "deny", pattern: "*", source: "test" } as const]
    const runsNothing = (line: string) => /^X=|^\[\[/.test(line)
    expect(await linesJudged(harmless, ({ verdict }, line) => verdict !== "deny" && !runsNothing(line), rules)).toEqual([])
  })
})

describe("lines of plain words", () => {
  const plain = [...attempts, ...harmless].filter((line) => plainCommand(line) !== undefined)

  it("are many", () => expect(plain.length).toBeGreaterThan(200))

  it("are read without the grammar exactly as with it", async () => {
    const differing: string[] = []
    for (const line of plain) {
      const [short, whole] = [await parseCommandLine(line), await parseWithGrammar(line)]
      if (JSON.stringify(short) !== JSON.stringify(whole)) differing.push(line)
    }
    expect(differing).toEqual([])
  })
})

type Verdict = Awaited<ReturnType<typeof judgeCommand>>

/** Those for which it is so, with the reason. */
async function linesJudged(
  lines: readonly string[],
  isSo: (verdict: Verdict, line: string) => boolean,
  rules: Parameters<typeof judgeCommand>[1],
): Promise<string[]> {
  const found: string[] = []
  for (const line of lines) {
    const verdict = await judgeCommand({ line }, rules, ports())
    if (isSo(verdict, line)) found.push(`${JSON.stringify(line)}: ${verdict.verdict}, ${verdict.reason}`)
  }
  return found
}
