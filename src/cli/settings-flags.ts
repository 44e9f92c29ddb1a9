/** What of the command line is a setting. */
import type { SettingsLayer } from "../settings/layer.ts"
import type { CliOptions } from "./arguments.ts"

export function settingsFlags({ model, profile, baseUrl, wire, apiKeyEnv, mode, approval, limits }: CliOptions): SettingsLayer {
  return { model, profile, baseUrl, wire, apiKeyEnv, mode, limits, approval }
}
