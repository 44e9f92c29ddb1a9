/**
 * Commands that run for a task, as a port. What a command prints goes straight into a file, which outlives the task and
 * Joey itself; in memory there is only its beginning and its end.
 */

export interface JobOutcome {
  exitCode: number | null
  signal?: string
  /**
   * `exited`: by itself, or by a signal of somebody else. `killed`: by us, on request. `out-of-time`: by us, for it reached the
   * limit that was set. `too-much`: by us, for it filled its output file. `lost`: Joey was ended meanwhile, and it with it.
   */
  ending: "exited" | "killed" | "out-of-time" | "too-much" | "lost"
  /** The command is over, but processes that it started still run; `kill` ends them. */
  leftRunning?: boolean
}

export interface JobStart {
  /** Absolute, and there. */
  cwd: string
  /** On a terminal of its own, where it can be written to. */
  terminal?: boolean
  /** It is killed after this, wherever it runs. */
  limitMs?: number
}

export interface JobWait {
  /** Default: until it ends. */
  ms?: number
  signal?: AbortSignal
  /** It has printed something; at most some ten times a second. */
  onOutput?(): void
}

export interface OutputPage {
  /** Each with its number, counted from 1, made readable. The first and the last may be cut. */
  lines: { number: number; text: string }[]
  /** In bytes: where the page begins, where it ends, and how many there are. */
  from: number
  to: number
  total: number
}

export interface OutputHits {
  lines: { number: number; text: string }[]
  /** Lines that match, also those that are not given. Absent when there are too many to be counted soon. */
  total?: number
  /** The pattern is no regular expression and was taken literally. */
  literal: boolean
}

export interface Job {
  /** Short, unique in its task: `cmd-1`. */
  readonly id: string
  readonly command: string
  readonly cwd: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** How it differs from what was asked for, in words: the shell is missing, there is no terminal. */
  readonly notices: readonly string[]
  /** Absent while it runs. */
  readonly outcome: JobOutcome | undefined
  /** The file with everything it printed. */
  readonly outputFile: string
  /** How much it has printed, in bytes. */
  readonly bytes: number
  /** Its output made readable, beginning and end if it is much. */
  printed(): { text: string; cut: boolean }
  /** The end of it, and only of what was not yet given here. */
  news(characters: number): string
  /** Resolves when it ended, when the time is over or when the signal aborts; false while it still runs. */
  wait(options?: JobWait): Promise<boolean>
  /** `offset` in bytes; a negative one counts from the end. */
  read(page: { offset: number; limit: number }): Promise<OutputPage>
  /** Lines that match a regular expression, whatever their case. */
  search(pattern: string, options: { most: number; signal?: AbortSignal }): Promise<OutputHits>
  /** Rejects with a HostError when it is over or takes no input. */
  write(text: string): Promise<void>
  /** Ends it with everything it started. Nobody is told of an end that was asked for. */
  kill(): Promise<JobOutcome>
}

export interface Jobs {
  /** Rejects with a HostError when it cannot be started. */
  start(line: string, options: JobStart): Promise<Job>
  /** Also one of an earlier run of Joey. */
  find(id: string): Job | undefined
  /** The running ones, oldest first. */
  running(): Job[]
  /** Every job of the task, oldest first. */
  all(): Job[]
  /** A job ended that nobody waits for and nobody killed. */
  onEnd(listener: (job: Job) => void): void
  /** Ends all of them. */
  close(): Promise<void>
}
