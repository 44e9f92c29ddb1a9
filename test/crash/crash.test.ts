/** A few kills with every `npm test`; `npm run test:crash -- --kills N` makes as many as wanted. */
import { expect, it } from "vitest"
import "../e2e/current-build.ts"
import { crash } from "./harness.ts"
import { scenarios } from "./scenarios.ts"

const KILLS = 3

it.each(scenarios.map(({ name }) => name))(
  `of a task killed with SIGKILL at chance moments nothing is lost, repeated or unreadable: ${KILLS} kills of "%s"`,
  async (only) => {
    const { problems, kills, tasks } = await crash({ kills: KILLS, seed: 20_260_301, lanes: 2, only })
    expect(problems).toEqual([])
    expect(kills).toBeGreaterThanOrEqual(KILLS)
    expect(tasks).toBeGreaterThan(0)
  },
  180_000,
)
