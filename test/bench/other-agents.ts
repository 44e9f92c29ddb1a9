/**
 * What other agents took for the same work. Measured once (2 cores, Node 20, a scripted model on loopback) and quoted here:
 * no run of ours measures them.
 */
import type { BarChart } from "./bench.ts"

type Bars = BarChart["bars"]

function bars(figures: Record<string, number>): Bars {
  return Object.entries(figures).map(([name, value]) => ({ name, value, ours: false }))
}

export const OTHERS = {
  version: bars({ Codex: 60, "Claude Code": 140, pi: 1_100, Gemini: 2_000 }),
  firstRequest: bars({ Codex: 290, "Claude Code": 830, pi: 1_500, Gemini: 2_500, opencode: 4_400 }),
  requestSize: bars({
    "pi (4 tools)": 5.6,
    "Cline (25 tools)": 21.8,
    "opencode (10 tools)": 31,
    Codex: 38,
    Gemini: 50,
    "Claude Code": 77,
  }),
  bigCall: bars({ Codex: 1.1, Qwen: 5.3, "Claude Code": 6, Continue: 95, opencode: 167 }),
  turn: bars({ pi: 9, Gemini: 21, "Claude Code": 37, Codex: 54, opencode: 290 }),
  memory: bars({ Codex: 153, pi: 171, Gemini: 253, "Claude Code": 295, opencode: 640 }),
}
