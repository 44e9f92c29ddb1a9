/** For tests: a certificate for 127.0.0.1 that nobody has signed, made by openssl where this machine has it. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface SelfSigned {
  key: string
  cert: string
  /** Where the certificate is kept. */
  file: string
  remove(): void
}

/** undefined without openssl. */
export function selfSigned(): SelfSigned | undefined {
  const folder = mkdtempSync(join(tmpdir(), "joey-certificate-"))
  const [keyFile, file] = [join(folder, "key.pem"), join(folder, "cert.pem")]
  const names = "subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:model.test"
  const args = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
  try {
    execFileSync("openssl", [...args, "-subj", "/CN=test", "-addext", names, "-keyout", keyFile, "-out", file], {
      stdio: "ignore",
    })
  } catch {
    rmSync(folder, { recursive: true, force: true })
    return undefined
  }
  const remove = () => rmSync(folder, { recursive: true, force: true })
  return { key: readFileSync(keyFile, "utf8"), cert: readFileSync(file, "utf8"), file, remove }
}
