/** A question of the model that nobody answers: what is taken for an answer, and when. Pure. */
import type { Question } from "../types/question.ts"
import type { AutoApproveSettings } from "../types/settings.ts"
import type { Suggestion } from "../types/show.ts"

/** undefined when the question waits for the person: that is not set, or there is nothing to choose from. */
export function followupAnswer(
  { followup }: Pick<AutoApproveSettings, "followup">,
  question: Question,
): { afterMs: number; suggestion: Suggestion } | undefined {
  if (question.kind !== "followup" || !(followup.seconds > 0)) return undefined
  const [suggestion] = question.suggestions
  return suggestion && { afterMs: followup.seconds * 1_000, suggestion }
}
