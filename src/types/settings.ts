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
  mode: string
  approval: "ask" | "default" | "yes"
  limits: Partial<LimitSettings>
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
  experiments: Record<string, boolean>
}
