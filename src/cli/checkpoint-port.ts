/** Checkpoints of a task that is open in the terminal. The task's lock is held by this process already. */
import { join } from "node:path"
import { CHECKPOINTS } from "../checkpoints/clean.ts"
import { diffSince } from "../checkpoints/diff.ts"
import { listCheckpoints } from "../checkpoints/history.ts"
import { previewRestore, type RestorePlan } from "../checkpoints/plan.ts"
import { restore } from "../checkpoints/restore.ts"
import { checkpointWords, planLines, restoredLines, toldModel } from "../checkpoints/words.ts"
import { taskFiles } from "../task/store.ts"
import { rootOf } from "../task/tree.ts"
import type { CheckpointPort } from "../ui/terminal/options.ts"
import { UsageError } from "./arguments.ts"
import { conversationPoint, shownIn } from "./commands/checkpoint.ts"

export function checkpointPort(home: string, workspace: string): CheckpointPort {
  const shown = shownIn(workspace)
  const placeOf = (task: string) => {
    const root = rootOf(home, task)
    return { home, root, folder: join(taskFiles(home, root).folder, CHECKPOINTS) }
  }
  async function planOf(folder: string, id: number): Promise<RestorePlan> {
    const plan = await previewRestore(folder, { id })
    if (plan) return plan
    throw new UsageError(`There is no checkpoint ${id}; /checkpoints lists them.`)
  }
  return {
    async list(task) {
      const all = listCheckpoints(placeOf(task).folder).toReversed()
      return all.map((one) => ({ id: one.id, at: one.at, words: checkpointWords(one, shown) }))
    },
    async preview(task, id) {
      const plan = await planOf(placeOf(task).folder, id)
      const possible = plan.files.filter(({ lost }) => lost === undefined)
      const held = possible.filter(({ conflict }) => conflict !== undefined).length
      return { lines: planLines(plan, shown), files: possible.length - held, held }
    },
    async diff(task, id) {
      const { folder } = placeOf(task)
      const { files } = await planOf(folder, id)
      const diffs = files.length === 0 ? [] : await diffSince(folder, { id }, shown)
      return (diffs ?? []).map((diff) => ({ ...diff, path: shown(diff.path) }))
    },
    async restore(task, id, { force }) {
      const outcome = await restore(placeOf(task).folder, { id, force })
      if (!outcome.ok) throw new UsageError(`Nothing was restored: ${outcome.problem}.`)
      return {
        lines: restoredLines(outcome, shown),
        ...(outcome.restored.length > 0 && { told: toldModel(outcome, shown) }),
      }
    },
    async point(task, id) {
      const place = placeOf(task)
      const { checkpoint } = await planOf(place.folder, id)
      return conversationPoint(place, checkpoint)
    },
  }
}
