/** The one place that wires stations together: each gets what it needs of the others as a value or a port. */
import { homedir } from "node:os"
import { join } from "node:path"
import type { Hook } from "../hooks/hook.ts"
import { guardHost } from "../host/guarded.ts"
import { openJobs } from "../host/jobs.ts"
import { localHost, ripgrepProgram } from "../host/local.ts"
import { credentialTest } from "../policy/credentials.ts"
import { DEFAULT_LIMITS } from "../policy/limits.ts"
import { locator } from "../policy/locate.ts"
import { createPolicy } from "../policy/policy.ts"
import { isProtected } from "../policy/protected-files.ts"
import { rememberGrant } from "../settings/grants.ts"
import { dayBudget, openLedger } from "../task/ledger.ts"
import type { TaskFiles } from "../task/store.ts"
import type { PersonPorts } from "../task/task.ts"
import { jobEndedNote } from "../tools/job-words.ts"
import type { Host } from "../types/host.ts"
import type { Jobs } from "../types/job.ts"
import type { Models, ToolProtocol } from "../types/model.ts"
import type { Settings } from "../types/settings.ts"
import type { Clock, Stations } from "../types/stations.ts"
import type { Project } from "./load-project.ts"
import { messageContext } from "./message-context.ts"
import { requestSource } from "./request-source.ts"
import { loadTools } from "./task-tools.ts"
import { taggedModels } from "./tool-protocol.ts"
import { createToolbox } from "./toolbox.ts"

export interface WiredParts {
  id: string
  home: string
  files: TaskFiles
  workspace: string
  models: Models
  protocol: ToolProtocol
  project: Project
  hooks: readonly Hook[]
  withheld: readonly string[]
  clock: Clock
  grants: ReadonlySet<string>
  jobs: Jobs
}

/** Ends what an earlier run of the task left behind: only while its lock is held. */
export function openJobsOf({ folder }: TaskFiles, { shell }: Settings, withheld: readonly string[]): Jobs {
  return openJobs({ folder: join(folder, "commands"), withheld, ripgrep: ripgrepProgram, ...(shell && { shell }) })
}

export async function wireStations(parts: WiredParts): Promise<(ports: PersonPorts) => Stations> {
  const hooksOf = await hookMaker(parts)
  const models = parts.protocol === "xml" ? await taggedModels(parts.models) : parts.models
  return (ports) => wire({ ...parts, models }, ports, hooksOf(ports))
}

function wire(parts: WiredParts, ports: PersonPorts, hooks: Stations["hooks"]): Stations {
  const { workspace, models, project: loaded, withheld, clock, jobs, files } = parts
  const { shell } = loaded.settings
  const host = localHost(workspace, { withheld, undoFolder: join(files.folder, "undo"), ...(shell && { shell }) })
  const requests = requestSource(loaded, {
    hooks,
    target: (mode) => ({ model: models.for(mode).facts, protocol: parts.protocol }),
    onGone: (mode, instead) => ports.changeMode(instead, `there is no mode "${mode}" any more`, "joey"),
    onChange(changed, findings) {
      ports.notice(`Read again, because they changed: ${changed.join(", ")}`)
      for (const { file, line, reason } of findings) ports.notice(`${file}${line === undefined ? "" : `:${line}`}: ${reason}`)
    },
  })
  const isKept = (path: string) => requests.project().isIgnored(path) || requests.project().isDenied(path)
  const guard = guardHost(host, [workspace], isKept)
  const isCredential = credentialTest(parts.home)
  const isSecret = (path: string) => isCredential(host.resolve(path), path)
  const admit: Stations["admit"] = (paths) => ({ ...guard(paths), isSecret })
  jobs.onEnd((job) => ports.tell(jobEndedNote(job)))
  return {
    models,
    clock,
    host,
    admit,
    ...(hooks && { hooks }),
    policy: policyOf(parts, ports, host, requests.project),
    prompt: requests,
    tools: createToolbox(requests, () =>
      loadTools({ ports, project: requests.project, jobs, model: (mode) => models.for(mode).facts }),
    ),
    context: messageContext({
      host: admit([]),
      jobs,
      project: requests.project,
      now: clock.now,
      changeMode: ports.changeMode,
      notice: ports.notice,
    }),
  }
}

function policyOf(parts: WiredParts, ports: PersonPorts, host: Host, project: () => Project): Stations["policy"] {
  const { id, home, workspace, grants, clock } = parts
  const { approval, limits, repetition } = parts.project.settings
  const isIgnored = (path: string) => project().isIgnored(path)
  const ledger = openLedger(home)
  const budget = dayBudget({ ledger, task: id, dayCost: limits.dayCost ?? 0, notice: ports.notice })
  const policy = createPolicy(
    {
      approval,
      limits: { ...DEFAULT_LIMITS, ...limits },
      repetition,
      paths: { isProtected, isIgnored, isCredential: credentialTest(home) },
      access: () => ({ autoApprove: project().settings.autoApprove, rules: project().permissions }),
      commands: { workspace, home: homedir(), locate: locator(host) },
      spentToday: ledger.spentToday,
      remembered: grants,
      remember: (grant) =>
        void rememberGrant(home, workspace, grant).then(
          (problem) => problem && ports.notice(`${problem.file}: ${problem.reason}`),
        ),
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

/** Loaded only where somebody set a hook or a check. */
async function hookMaker(parts: WiredParts): Promise<(ports: PersonPorts) => Stations["hooks"]> {
  const { hooks: inProcess, project, withheld, id, files, workspace, models } = parts
  const { hooks, checks, approval } = project.settings
  if (inProcess.length === 0 && checks.length === 0 && Object.keys(hooks).length === 0) return () => undefined
  const { taskHooks } = await import("./task-hooks.ts")
  return ({ notice, mode, turn }) =>
    taskHooks({
      inProcess,
      settings: project.settings,
      withheld,
      notice,
      facts: () => ({
        session: id,
        transcript: files.log,
        workspace,
        mode: mode(),
        approval,
        model: models.for(mode()).id,
        turn: turn(),
      }),
    })
}
