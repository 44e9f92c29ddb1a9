/**
 * Files and processes as a port. Paths are given relative to the workspace or absolute. What may be touched is decided
 * outside: a tool receives a host that is already limited to the paths its call was admitted for.
 */

export interface FileFacts {
  kind: "file" | "directory" | "other"
  size: number
  modifiedMs: number
  /** How many names lead to the same file, where the system tells. */
  links?: number
}

export interface LinePage {
  /** Without line ends. */
  lines: string[]
  /** Set when it is not UTF-8, as people call it. */
  encoding?: string
  /** Lines in the whole file. A final line end does not start another line. */
  total: number
}

/** Either a shell line or a program with its arguments, never mixed. */
export type ProcessSpec = { shell: string } | { program: string; args: readonly string[] }

export interface RunOptions {
  /** Default: the workspace. */
  cwd?: string
  signal?: AbortSignal
  /** After this the whole process tree is killed. */
  timeoutMs?: number
  /** Called with decoded text as it arrives. */
  onOutput?(text: string, stream: "stdout" | "stderr"): void
}

export interface ProcessOutcome {
  exitCode: number | null
  signal?: string
  ending: "exited" | "timed-out" | "cancelled"
}

/** One file of a set that is changed together. `from`: the file a new one is moved from; it gets its mode bits. */
export type FileChange = { path: string; content: string | Uint8Array; from?: string } | { path: string; remove: true }

export interface Host {
  readonly workspace: string
  readonly platform: string
  /** Absolute path of the ripgrep program. */
  ripgrep(): Promise<string>
  /** Absolute and normalised; does not touch the disk. */
  resolve(path: string): string
  /** Kept from the agent by the project: left out of listings and searches. The path is relative to the workspace; folders end with `/`. */
  isHidden?(path: string): boolean
  /** Holds keys or passwords: a search over a folder passes it by; it can be read when it is asked for by name. */
  isSecret?(path: string): boolean
  /** Where a path really leads: links resolved, from the deepest part that exists. */
  realPath(path: string): Promise<string>
  /** undefined when nothing is there. Follows links. */
  stat(path: string): Promise<FileFacts | undefined>
  readFile(path: string): Promise<Uint8Array>
  /** The first bytes only, for sniffing. */
  readHead(path: string, bytes: number): Promise<Uint8Array>
  /** Streams; a huge file never enters memory whole. Decodes UTF-8, drops a BOM. */
  readLines(path: string, options: { offset: number; limit: number; signal?: AbortSignal }): Promise<LinePage>
  /** Replaces the file atomically; creates parent folders; keeps mode bits and symbolic links. */
  writeFile(path: string, content: string | Uint8Array): Promise<void>
  /**
   * All of these changes or none: what was there is kept aside until the last one is made. After a crash in between, `rollBack`
   * puts it back and names the paths.
   */
  applyChanges(changes: readonly FileChange[]): Promise<void>
  rollBack(): Promise<string[]>
  /** Runs to its end. Never rejects for a non-zero exit; rejects with HostError when it cannot be started. */
  run(process: ProcessSpec, options?: RunOptions): Promise<ProcessOutcome>
}

export type HostErrorCode = "not-found" | "is-directory" | "not-directory" | "no-access" | "outside" | "no-space" | "other"

/** An expected failure of the host: one line that a person or a model can act on. */
export class HostError extends Error {
  readonly code: HostErrorCode
  readonly path: string | undefined
  constructor(code: HostErrorCode, message: string, path?: string) {
    super(message)
    this.name = "HostError"
    this.code = code
    this.path = path
  }
}
