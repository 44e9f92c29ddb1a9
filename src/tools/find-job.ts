/** Finds the command that a model speaks of, however it writes its name. */
import type { Job, Jobs } from "../types/job.ts"
import { ToolError } from "../types/tool.ts"
import { jobLine } from "./job-words.ts"

const MOST = 15

export function findJob(jobs: Jobs, name: string): Job {
  const [, number] = /^(?:cmd-)?0*(\d{1,9})(?:\.txt)?$/.exec(name.trim()) ?? []
  const job = number === undefined ? undefined : jobs.find(`cmd-${number}`)
  if (!job) throw new ToolError(`There is no command ${JSON.stringify(name.slice(0, 100))}. ${listJobs(jobs)}`)
  return job
}

/** The latest ones. */
export function listJobs(jobs: Jobs): string {
  const all = jobs.all()
  if (all.length === 0) return "No command has been run in this task."
  const left = all.length > MOST ? [`(${all.length - MOST} earlier ones are left out)`] : []
  return ["Commands of this task:", ...left, ...all.slice(-MOST).map((job) => jobLine(job))].join("\n")
}
