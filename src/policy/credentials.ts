/** Which files hold secrets by their name or place. Reading one asks even where reads are allowed. Letter case does not matter. */
import { foldPath } from "../text/path-forms.ts"

/** Folders whose whole content is secret, wherever they lie. */
const FOLDERS: ReadonlySet<string> = new Set([
  ...[".ssh", ".aws", ".azure", ".gnupg", ".kube", ".password-store", ".terraform.d", ".mozilla", ".thunderbird", "keyrings"],
  ...[".config/gcloud", ".config/gh", ".config/hub", ".config/op", ".config/sops", ".config/rclone", "library/keychains"],
  ...[".config/google-chrome", ".config/chromium", ".config/bravesoftware"],
])

const NAMES: ReadonlySet<string> = new Set([
  ...[".npmrc", ".yarnrc.yml", ".netrc", "_netrc", ".git-credentials", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd"],
  ...[".vault-token", ".s3cfg", ".boto", ".dockercfg", "credentials", "credentials.json", "credentials.yml", "credentials.yaml"],
  ...["credentials.toml", "credentials.db", "application_default_credentials.json", "key4.db", "logins.json", "cookies.sqlite"],
  ...["login data", ".docker/config.json", "git/credentials", "etc/shadow", "etc/gshadow", "etc/shadow-", "etc/gshadow-"],
])

const ENDINGS: ReadonlySet<string> = new Set(["pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk", "asc", "env"])

/** .env, .env.local, .env-prod, .envrc; what is written to be copied is none. */
const ENVIRONMENT = /^\.env(?:rc|[._-](?!(?:example|sample|template|dist|defaults|schema|d\.[cm]?ts)$).*)?$/
const PRIVATE_KEY = /^id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?(?:[._-].*)?$/
const CLOUD_KEY = /^(?:client_secrets?|service[-_]?account).*\.json$/
const PROCESS_ENVIRONMENT = /^\/proc\/.*\/environ$/
/** In a folder of keys, but made to be shown. */
const SHOWN: ReadonlySet<string> = new Set([".ssh/config", ".ssh/known_hosts", ".ssh/known_hosts.old"])
/** Of Joey's own folder these are no secrets: a person wrote them for the model. */
const FOR_THE_MODEL = /^(?:skills|rules|commands|modes|tools)(?:-[^/]*)?\//

export type CredentialTest = (real: string, relative?: string) => boolean

/** `joeyHome` is where Joey keeps keys, trust and the logs of tasks. */
export function credentialTest(joeyHome?: string): CredentialTest {
  const own = joeyHome === undefined ? undefined : `${slashes(joeyHome).replace(/\/+$/, "")}/`
  return (real, relative) => {
    const path = slashes(real)
    if (own !== undefined && `${path}/`.startsWith(own)) return !FOR_THE_MODEL.test(path.slice(own.length))
    return isCredential(path, relative)
  }
}

/** Inside the workspace by the path from there: a workspace may lie anywhere. */
export function isCredential(real: string, relative?: string): boolean {
  const file = foldPath(slashes(relative || real))
  const names = file.split("/")
  const last = names.at(-1) ?? ""
  const lastTwo = names.slice(-2).join("/")
  if (last.endsWith(".pub") || SHOWN.has(lastTwo)) return false
  if (
    NAMES.has(last) ||
    NAMES.has(lastTwo) ||
    names.some((name, at) => FOLDERS.has(name) || FOLDERS.has(`${names[at - 1]}/${name}`))
  )
    return true
  if (last.startsWith(".env")) return ENVIRONMENT.test(last)
  if (ENDINGS.has(last.slice(last.lastIndexOf(".") + 1)) && last.includes(".")) return true
  return PRIVATE_KEY.test(last) || CLOUD_KEY.test(last) || PROCESS_ENVIRONMENT.test(file)
}

function slashes(path: string): string {
  return path.includes("\\") ? path.replaceAll("\\", "/") : path
}
