import { describe, expect, it } from "vitest"
import { credentialTest, isCredential } from "./credentials.ts"

describe("a file that may hold secrets", () => {
  it.each([
    ".env",
    "app/.env",
    ".env.local",
    ".env.production.local",
    ".env-prod",
    ".ENV",
    ".envrc",
    "prod.env",
    ".npmrc",
    "certs/server.pem",
    "server.key",
    "keys/id_rsa",
    "id_ed25519",
    "id_ed25519.bak",
    "release.keystore",
    "credentials.json",
    "service-account-prod.json",
    "client_secret_1.json",
    ".git-credentials",
    "/home/me/.ssh/anything",
    "/home/me/.ssh",
    "/home/me/.aws/config",
    "/home/me/.config/gcloud/x.db",
    "/home/me/.config/gh/hosts.yml",
    "/home/me/.netrc",
    "/home/me/.kube/config",
    "/home/me/.docker/config.json",
    "/home/me/.gnupg/trustdb.gpg",
    "/home/me/.cargo/credentials.toml",
    "/home/me/.pgpass",
    "/home/me/.password-store/a.gpg",
    "/home/me/Library/Keychains/login.keychain-db",
    "/etc/shadow",
    "/proc/self/environ",
    "/proc/1/task/1/environ",
    "C:\\Users\\me\\.ssh\\id_rsa",
  ])("S28: %s", (path) => expect(isCredential(path)).toBe(true))

  it.each([
    ".env.example",
    ".env.sample",
    "app/.env.template",
    ".env.d.ts",
    "src/env.ts",
    "src/environment.ts",
    ".environment/readme.md",
    "src/id_map.ts",
    "id_rsa.pub",
    "/home/me/.ssh/id_ed25519.pub",
    "/home/me/.ssh/config",
    "/home/me/.ssh/known_hosts",
    "src/keys.ts",
    "docs/ssh.md",
    "package.json",
    "docker/config.json",
    "src/credentials.ts",
    "src/cookies.ts",
    "pem/readme.md",
    "/etc/passwd",
  ])("is not %s", (path) => expect(isCredential(path)).toBe(false))

  it("inside the workspace is known by its path from there", () => {
    expect(isCredential("/home/me/.aws/work/a.txt", "a.txt")).toBe(false)
    expect(isCredential("/home/me/.aws/work/.env", ".env")).toBe(true)
  })

  it("S28: in Joey's own folder is everything but what was written for the model", () => {
    const isSecret = credentialTest("/home/me/.joey/")
    for (const file of ["keys.json", "settings.json", "tasks/1/log.jsonl", ""])
      expect(isSecret(`/home/me/.joey/${file}`)).toBe(true)
    expect(isSecret("/home/me/.joey")).toBe(true)
    for (const file of ["skills/a/SKILL.md", "rules-code/a.md", "commands/x.md"])
      expect(isSecret(`/home/me/.joey/${file}`)).toBe(false)
    expect(isSecret("/home/me/.joeys/a")).toBe(false)
    expect(isSecret("/home/me/.joey/skills/../keys.json".replace("skills/../", ""))).toBe(true)
    expect(isSecret("/project/.env", ".env")).toBe(true)
  })
})
