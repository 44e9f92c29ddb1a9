/** Counts what a task consumes: tokens and cost by reply, attempts and failures by tool. */
import { isErrorResult, type ResultKind } from "../types/message.ts"
import type { ToolUsage, Usage } from "../types/usage.ts"

export function countReply(total: Usage, reply: Usage): Usage {
  const sum = (a: number | undefined, b: number | undefined) =>
    a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)
  const cachedTokens = sum(total.cachedTokens, reply.cachedTokens)
  const cacheWriteTokens = sum(total.cacheWriteTokens, reply.cacheWriteTokens)
  const reasoningTokens = sum(total.reasoningTokens, reply.reasoningTokens)
  const cost = sum(total.cost, reply.cost)
  return {
    inputTokens: total.inputTokens + reply.inputTokens,
    outputTokens: total.outputTokens + reply.outputTokens,
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cost !== undefined && { cost }),
  }
}

export function countCall(total: ToolUsage, tool: string, result: ResultKind): ToolUsage {
  const { attempts, failures } = (Object.hasOwn(total, tool) && total[tool]) || { attempts: 0, failures: 0 }
  return { ...total, [tool]: { attempts: attempts + 1, failures: failures + (isErrorResult(result) ? 1 : 0) } }
}
