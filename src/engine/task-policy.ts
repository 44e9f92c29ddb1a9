/** The policy of a task: its rules and limits, the day's budget, and what the person granted in this folder. */
import { homedir } from "node:os"
import { credentialTest } from "../policy/credentials.ts"
import { DEFAULT_LIMITS } from "../policy/limits.ts"
import { locator } from "../policy/locate.ts"
import { createPolicy } from "../policy/policy.ts"
import { isProtected } from "../policy/protected-files.ts"
import { rememberGrant } from "../settings/grants.ts"
import { dayBudget, openLedger } from "../task/ledger.ts"
import { isBeneath } from "../text/path-forms.ts"
import type { Host } from "../types/host.ts"
import type { Clock, Policy } from "../types/stations.ts"
import type { Project } from "./load-project.ts"

export interface TaskPolicyParts {
  id: string
  home: string
  workspace: string
  grants: ReadonlySet<string>
  clock: Clock
  host: Host
  project(): Project
  /** What is kept there is the model's to read. */
  kept: string
  notice(text: string): void
}

export function taskPolicy({ id, home, workspace, grants, clock, host, project, kept, notice }: TaskPolicyParts): Policy {
  const { approval, limits, repetition } = project().settings
  const isIgnored = (path: string) => project().isIgnored(path)
  const ledger = openLedger(home)
  const budget = dayBudget({ ledger, task: id, dayCost: limits.dayCost ?? 0, notice })
  const policy = createPolicy(
    {
      approval,
      limits: { ...DEFAULT_LIMITS, ...limits },
      repetition,
      paths: {
        isProtected,
        isIgnored,
        isCredential: credentialTest(home),
        isForModel: (real) => isBeneath(kept, real, host.platform) && real !== kept,
      },
      access: () => ({ autoApprove: project().settings.autoApprove, rules: project().permissions }),
      commands: { workspace, home: homedir(), locate: locator(host) },
      spentToday: ledger.spentToday,
      remembered: grants,
      remember: (grant) =>
        void rememberGrant(home, workspace, grant).then((problem) => problem && notice(`${problem.file}: ${problem.reason}`)),
    },
    clock.now,
  )
  return {
    ...policy,
    see(event) {
      policy.see(event)
      budget.see(event)
    },
  }
}
