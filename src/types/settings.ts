/** What a person can set. Every key has a default; the JSON Schema beside the reader of settings files says the same for editors. */

export interface ModePrompt {
  roleDefinition?: string
  whenToUse?: string
  customInstructions?: string
}

export interface LimitSettings {
  turns: number
  /** Calls that failed in a row. */
  mistakes: number
  /** Requests sent, retries included. */
  requests: number
  tokens: number
  minutes: number
  /** In US dollars, where the price is known. */
  cost: number
  /** Of all tasks of a day together, in US dollars. */
  dayCost: number
  /** Replies in a row whose call was cut off by the output limit. */
  cuts: number
}

export interface EnvironmentSettings {
  time: boolean
  cost: boolean
  todos: boolean
  recentFiles: boolean
  backgroundCommands: boolean
  /** Entries listed with the first message; 0 = none. */
  workspaceFiles: number
}

/** Rules such as `Bash(git *)` or `Read(./secrets/**)`. Deny wins over ask, ask over allow; those of a project are added. */
export interface PermissionSettings {
  allow: string[]
  ask: string[]
  deny: string[]
}

/** What runs without asking where no rule says otherwise. */
export interface AutoApproveSettings {
  readOnly: boolean
  readOnlyOutside: boolean
  /** Commands that are known to only read, inside the workspace. */
  readOnlyCommands: boolean
  write: boolean
  writeOutside: boolean
  writeProtected: boolean
  execute: boolean
  network: boolean
  mcp: boolean
  modeSwitch: boolean
  subtasks: boolean
  /** After so many seconds the first suggestion answers a question of the model; 0 = it waits for the person. */
  followup: { seconds: number }
}

/** Where nobody has set anything: reading runs, everything else asks. */
export const DEFAULT_AUTO_APPROVE: AutoApproveSettings = {
  readOnly: true,
  readOnlyOutside: false,
  readOnlyCommands: true,
  write: false,
  writeOutside: false,
  writeProtected: false,
  execute: false,
  network: false,
  mcp: false,
  modeSwitch: false,
  subtasks: false,
  followup: { seconds: 0 },
}

/** One command of a hook, in the form other agents have made common. What is not named here is ignored. */
export interface HookCommand {
  type?: "command"
  /** A line for the shell; with `args` a program. */
  command: string
  args?: string[]
  /** Seconds, 60 unless set; milliseconds under the names of events that count so where they come from. */
  timeout?: number
  /** Nobody waits for it, and what it says is not heard. */
  async?: boolean
  /** Only the first time in a task. */
  once?: boolean
  /** Only for calls like this, such as `Bash(git push *)`. */
  if?: string
  /** Its failure counts as a no. */
  mustSucceed?: boolean
  name?: string
}

export interface HookGroup {
  /** Names, or a regular expression; all when absent. */
  matcher?: string
  hooks: HookCommand[]
}

/** By the name of the event. */
export type HookSettings = Record<string, HookGroup[]>

/** A command that is run after an edit; what is new in its output goes to the model. */
export interface CheckSettings {
  glob: string
  /** `{file}` stands for the edited file. */
  command: string
  /** Seconds. */
  timeout?: number
}

/** Walls around the commands of a task (Linux, bubblewrap): they write in the workspace and in a temp folder of their own only. */
export interface SandboxSettings {
  enabled: boolean
  network: boolean
  /** Further places commands may write to: absolute, from `~`, or from the workspace. */
  writable: string[]
  /** Places with secrets that commands may read all the same, such as `~/.npmrc`. */
  readable: string[]
}

/** The undo of what the agent changes. */
export interface CheckpointSettings {
  enabled: boolean
  /** What one task keeps at most, and all of them together: then the oldest tasks' are deleted. */
  taskMegabytes: number
  allMegabytes: number
}

/** What a person knows better about a model than the table does. */
export interface ModelSettings {
  /** Tokens of prompt and reply together. */
  window?: number
  /** Tokens of one reply. */
  output?: number
  images?: boolean
  /** US dollars per million tokens. */
  price?: { input: number; output: number; cached?: number }
  edits?: "blocks" | "patch" | "replace"
  /** False: its calls are written as text. */
  nativeTools?: boolean
}

/** When and how the past of a task is made shorter. */
export interface CondenseSettings {
  /** At this share of what the window leaves for the past; 0 = never by itself. */
  threshold: number
  /** The profile whose model writes summaries; the task's own where none is set. */
  model?: string
  /** Asks for the summary, instead of Joey's own words. */
  prompt?: string
}

/** A model and how to use it, under a name. One that names a model or a server takes nothing of the settings outside. */
export interface ProfileSettings {
  model?: string
  baseUrl?: string
  wire?: string
  apiKeyEnv?: string
  apiKeyFile?: string
  apiKeyCommand?: string
  temperature?: number
  reasoningEffort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh"
  /** Tokens of one reply at most. */
  maxOutput?: number
  headers?: Record<string, string>
  /** In seconds: for the head of the answer, for a token, for anything in the middle of a reply. */
  timeouts?: { headers?: number; firstToken?: number; betweenChunks?: number }
  /** Of tasks that begin with this profile. */
  limits?: Partial<LimitSettings>
  /** Profiles that take over, in order, when this one has no credit, is limited or down. */
  fallback?: string[]
  /** Over those outside of it. */
  condense?: Partial<CondenseSettings>
}

/** The model that makes images, and where it is. */
export interface ImageModelSettings {
  /** `vendor/name`; with a base URL any name, sent as it is. */
  model?: string
  baseUrl?: string
  apiKeyEnv?: string
  /** How it is asked: in a chat that may answer with images, or through an endpoint for images. By its name unless set. */
  api?: "chat" | "images"
}

export interface Settings {
  model?: string
  baseUrl?: string
  wire?: string
  /** The environment variable that holds the key. */
  apiKeyEnv?: string
  /** A file (mode 0600) whose first line is the key. */
  apiKeyFile?: string
  /** A command that prints the key. */
  apiKeyCommand?: string
  /** Certificates that are trusted besides the usual ones. */
  caFile?: string
  /** By the name of a model. */
  models: Record<string, ModelSettings>
  profiles: Record<string, ProfileSettings>
  /** The profile in use. */
  profile?: string
  /** The profile of a mode, by the mode's slug. */
  modeProfiles: Record<string, string>
  /** How calls travel in a new task: as the model can, or always one way. */
  toolProtocol: "auto" | "native" | "xml"
  mode: string
  approval: "ask" | "default" | "yes"
  autoApprove: AutoApproveSettings
  permissions: PermissionSettings
  /** First words of commands that run without asking, `*` for any; those of a project are added. */
  allowedCommands: string[]
  /** First words of commands that never run. */
  deniedCommands: string[]
  limits: Partial<LimitSettings>
  condense: CondenseSettings
  repetition: { limit: number; then: "ask" | "refuse" }
  reminders: number
  preventCompletionWithOpenTodos: boolean
  language?: string
  customInstructions?: string
  customModePrompts: Record<string, ModePrompt>
  disabledTools: string[]
  todoListEnabled: boolean
  useAgentRules: boolean
  enableSubfolderRules: boolean
  /** Bytes of rule files that go into the prompt at most. */
  maxRuleBytes: number
  environment: EnvironmentSettings
  /** Whether parts of a file can be asked for, and how many files one call may read. */
  readFile: { partialReads: boolean; atOnce: number }
  /** Whether pages of this machine and its networks are fetched too. */
  webFetch: { allowPrivate: boolean }
  /** Whether the workspace is indexed for search in plain words, and how many files of it at most. */
  codeIndex: { enabled: boolean; maxFiles: number }
  checkpoints: CheckpointSettings
  /** Servers of other people's tools; with more tokens of definitions than `toolBudget`, tools are looked up. */
  mcp: { enabled: boolean; toolBudget: number }
  sandbox: SandboxSettings
  /** `timeout`: seconds that a call of a custom tool may take. */
  customTools: { enabled: boolean; timeout: number }
  /** Without a model no images can be made. */
  imageModel: ImageModelSettings
  experiments: Record<string, boolean>
  /** Runs command lines; bash where none is set. */
  shell?: string
  /** Seconds after which a command is killed, also in the background; 0 = never. */
  commandExecutionTimeout: number
  /** First words of commands that are not killed then. */
  commandTimeoutAllowlist: string[]
  hooks: HookSettings
  checks: CheckSettings[]
}
