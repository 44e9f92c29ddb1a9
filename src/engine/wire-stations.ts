/** The one place that wires stations together: each gets what it needs of the others as a value or a port. */
import { realpathSync } from "node:fs"
import { join } from "node:path"
import type { Hook } from "../hooks/hook.ts"
import { guardHost } from "../host/guarded.ts"
import { localHost } from "../host/local.ts"
import { credentialTest } from "../policy/credentials.ts"
import { frameRing, keepFrames } from "../providers/frame-ring.ts"
import type { OpenedLog } from "../task/log.ts"
import type { PersonPorts } from "../task/open.ts"
import { livingEvents } from "../task/rewind.ts"
import type { TaskFiles } from "../task/store.ts"
import { jobEndedNote } from "../tools/job-words.ts"
import type { Recorded } from "../types/event.ts"
import type { Host } from "../types/host.ts"
import type { Jobs } from "../types/job.ts"
import type { Models, ToolProtocol } from "../types/model.ts"
import type { Checkpoints, Clock, Siblings, Stations } from "../types/stations.ts"
import type { ToolSource } from "../types/tool.ts"
import type { Confinement } from "./confined-jobs.ts"
import { type LateCondenser, lateCheckpoints, lateCondenser } from "./late-stations.ts"
import type { Project, Surroundings } from "./load-project.ts"
import { messageContext } from "./message-context.ts"
import { type RequestSource, requestSource } from "./request-source.ts"
import type { ProcessServers, TaskServers } from "./servers.ts"
import type { Subtasks } from "./subtasks.ts"
import { lookAround } from "./surroundings.ts"
import { taskPolicy } from "./task-policy.ts"
import { customToolSource, serverSource } from "./task-sources.ts"
import { loadTools, type TaskToolParts } from "./task-tools.ts"
import { speakingModels, spokenWith } from "./tool-protocol.ts"
import { joinSources } from "./tool-sources.ts"
import { createToolbox } from "./toolbox.ts"

export interface WiredParts {
  id: string
  home: string
  files: TaskFiles
  /** Where what all tasks of a tree changed can be undone. */
  checkpoints: string
  workspace: string
  models: Models
  protocol: ToolProtocol
  project: Project
  hooks: readonly Hook[]
  withheld: readonly string[]
  secrets: readonly string[]
  clock: Clock
  grants: ReadonlySet<string>
  opened: OpenedLog
  jobs: Jobs
  siblings: Siblings
  subtasks: Subtasks
  servers: ProcessServers
  confined: Confinement
  /** Told what to do when the task is let go of. */
  onClose(close: () => Promise<void> | void): void
}

export async function wireStations(parts: WiredParts): Promise<(ports: PersonPorts) => Stations> {
  const hooksOf = await hookMaker(parts)
  const models = speakingModels(parts.models, parts.protocol)
  return (ports) => wire({ ...parts, models }, ports, hooksOf(ports))
}

function wire(parts: WiredParts, ports: PersonPorts, hooks: Stations["hooks"]): Stations {
  const { workspace, models, project: loaded, withheld, clock, jobs, files } = parts
  const { shell } = loaded.settings
  const host = localHost(workspace, { withheld, undoFolder: join(files.folder, "undo"), ...(shell && { shell }) })
  const project = () => requests.project()
  const servers = serverSource(parts, ports, project)
  const sources = [servers, customToolSource(parts, ports, project)]
  const others = joinSources(sources, { loaded: () => ports.state().loadedTools, record: ports.record })
  const requests = requestsOf(parts, ports, { hooks, servers, others })
  const admit = admission(parts, host, project)
  const kept = join(realpathSync(files.folder), "kept")
  const policy = taskPolicy({ ...parts, host, project, kept, notice: ports.notice })
  const condenser = condenserFor(parts, ports, { project, host: admit([]) })
  const frames = keptFrames(parts)
  parts.confined.follow(project, ports.mode)
  jobs.onEnd((job) => ports.tell(jobEndedNote(job)))
  const toolParts: TaskToolParts = {
    ports,
    project,
    jobs,
    servers,
    subtasks: parts.subtasks.port(ports, project, policy.left),
    model: (mode) => models.for(mode).facts,
    host: admit([]),
    withheld,
    onClose: parts.onClose,
  }
  return {
    models,
    clock,
    host,
    admit,
    ...(hooks && { hooks }),
    policy: {
      ...policy,
      see(event) {
        policy.see(event)
        condenser.see(event)
        frames.see(event)
      },
    },
    siblings: parts.siblings,
    condenser,
    frames,
    ...(loaded.settings.checkpoints.enabled && { checkpoints: undoOf(parts) }),
    prompt: requests,
    tools: createToolbox(requests, () => loadTools(toolParts), others),
    context: messageContext({
      host: admit([]),
      jobs,
      project,
      servers,
      now: clock.now,
      changeMode: ports.changeMode,
      notice: ports.notice,
    }),
  }
}

interface RequestStations {
  hooks: Stations["hooks"]
  servers: TaskServers
  others: ToolSource
}

function requestsOf(
  { project: loaded, models, protocol }: WiredParts,
  ports: PersonPorts,
  stations: RequestStations,
): RequestSource {
  const { hooks, servers, others } = stations
  const look = lookAround(servers)
  let around: Surroundings = {}
  return requestSource(loaded, {
    hooks,
    async onRequest(project) {
      await others.refresh()
      around = await look(project, ports.mode())
    },
    target(mode) {
      const model = models.for(mode)
      return { model: model.facts, protocol: spokenWith(model, protocol), around }
    },
    onGone: (mode, instead) => ports.changeMode(instead, `there is no mode "${mode}" any more`, "joey"),
    onChange(changed, findings) {
      ports.notice(`Read again, because they changed: ${changed.join(", ")}`)
      for (const { file, line, reason } of findings) ports.notice(`${file}${line === undefined ? "" : `:${line}`}: ${reason}`)
    },
  })
}

/** What a call may touch: the workspace without what is kept from the model, and what it was admitted for. */
function admission({ workspace, home }: WiredParts, host: Host, project: () => Project): Stations["admit"] {
  const guard = guardHost(host, [workspace], (path) => project().isIgnored(path) || project().isDenied(path))
  const isCredential = credentialTest(home)
  const isSecret = (path: string) => isCredential(host.resolve(path), path)
  return (paths) => ({ ...guard(paths), isSecret })
}

function condenserFor(
  { models, files, opened, clock }: WiredParts,
  ports: PersonPorts,
  { project, host }: { project(): Project; host: Host },
): LateCondenser {
  return lateCondenser(async () => {
    const { condenserOf } = await import("./condenser.ts")
    return condenserOf({
      settings: () => project().settings,
      models,
      host,
      folder: files.folder,
      events: () => livingEvents(opened.log.read(0)),
      sleep: clock.sleep,
      mode: ports.mode,
      onStart: () => ports.emit({ type: "waiting", for: "model", reason: "shortening what came before" }),
    })
  })
}

/** All tasks of a tree share one, so that one restore brings back what all of them changed. */
function undoOf({ id, home, workspace, checkpoints: folder, project, opened }: WiredParts): Checkpoints {
  const { taskMegabytes, allMegabytes } = project.settings.checkpoints
  return lateCheckpoints(async () => {
    const { openCheckpoints } = await import("../checkpoints/checkpoints.ts")
    const all = { tasks: join(home, "tasks"), bytes: allMegabytes * 1e6 }
    const limits = { taskBytes: taskMegabytes * 1e6 }
    return openCheckpoints({ folder, task: id, workspace, lastSeq: () => opened.log.lastSeq, all, limits })
  })
}

/** What servers sent last, kept when a request fails and when the task is let go of. */
function keptFrames({ files, secrets, clock, onClose }: WiredParts) {
  const ring = frameRing(clock.now)
  const openedAt = clock.now()
  const keep = () => keepFrames(ring, join(files.folder, "frames.txt"), secrets)
  onClose(keep)
  return {
    push: ring.push,
    see({ type, at }: Recorded) {
      if (type === "request-failed" && Date.parse(at) >= openedAt) keep()
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
