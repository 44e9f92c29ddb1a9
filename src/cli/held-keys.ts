/** Values that are secret whatever they look like: the models' keys, and what the environment holds under a telling name. */
import { vendors } from "../providers/vendors.ts"
import { readKey } from "../settings/keys.ts"
import { loadSettings } from "../settings/load.ts"
import { keyVariables } from "./choose-models.ts"

const TELLING_NAME =
  /(?:^|_)(?:API_?KEY|ACCESS_?KEY|SECRET_?KEY|PRIVATE_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE)(?:_?\d+)?$/i
/** Shorter values are words, and paths only say where a secret lies. */
const SHORTEST = 8
const PATH = /^(?:~|\.{0,2}\/|[A-Za-z]:\\)/

/** Asks no command for a key: that could need a person. What such a key is was never recorded either. */
export async function heldKeys(env: NodeJS.ProcessEnv, places: { home: string; workspace: string }): Promise<string[]> {
  const { settings } = await loadSettings({ ...places, env })
  const named = [...vendors.flatMap((vendor) => vendor.keyVariables), ...keyVariables(settings)].flatMap(
    (name) => env[name] ?? [],
  )
  const telling = Object.entries(env).flatMap(([name, value = ""]) => (TELLING_NAME.test(name) && isSecret(value) ? [value] : []))
  const files = [settings, ...Object.values(settings.profiles)].flatMap(({ apiKeyFile }) => apiKeyFile ?? [])
  const read = await Promise.all(files.map((apiKeyFile) => readKey({ apiKeyFile }, { env })))
  return [...named, ...telling, ...read.flatMap((one) => (one.ok && one.key ? [one.key.value] : []))]
}

function isSecret(value: string): boolean {
  return value.length >= SHORTEST && !PATH.test(value)
}
