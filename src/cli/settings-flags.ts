/** What of the command line is a setting. */
import type { SettingsLayer } from "../settings/layer.ts"
import type { CliOptions } from "./arguments.ts"

export function settingsFlags(options: CliOptions): SettingsLayer {
  const { model, profile, baseUrl, wire, apiKeyEnv, mode, approval, limits, sandbox } = options
  return { model, profile, baseUrl, wire, apiKeyEnv, mode, limits, approval, sandbox }
}
