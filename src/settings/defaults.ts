/** What holds where nobody has set anything. The schema states the same values for editors; a test keeps both alike. */
import { DEFAULT_AUTO_APPROVE, type Settings } from "../types/settings.ts"

export const defaults: Settings = {
  mode: "code",
  models: {},
  profiles: {},
  modeProfiles: {},
  toolProtocol: "auto",
  approval: "default",
  autoApprove: DEFAULT_AUTO_APPROVE,
  permissions: { allow: [], ask: [], deny: [] },
  allowedCommands: [],
  deniedCommands: [],
  limits: { turns: 200, mistakes: 5, requests: 400, cuts: 3 },
  // biome-ignore lint/suspicious/noThenProperty: the setting is named so; it is data and never awaited.
  repetition: { limit: 3, then: "ask" },
  reminders: 1,
  preventCompletionWithOpenTodos: false,
  customModePrompts: {},
  disabledTools: [],
  todoListEnabled: true,
  useAgentRules: true,
  enableSubfolderRules: false,
  maxRuleBytes: 64 * 1024,
  environment: { time: true, cost: true, todos: true, recentFiles: true, backgroundCommands: true, workspaceFiles: 200 },
  readFile: { partialReads: true, atOnce: 5 },
  webFetch: { allowPrivate: false },
  experiments: {},
  hooks: {},
  checks: [],
  commandExecutionTimeout: 0,
  commandTimeoutAllowlist: [],
}
