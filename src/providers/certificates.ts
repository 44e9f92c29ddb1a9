/** The certificates in a file a person names. */
import { readFileSync } from "node:fs"

/** None when it cannot be read: then the certificate that is not trusted is what a person hears of. */
export function readCertificates(file: string): string[] {
  try {
    return readFileSync(file, "utf8").match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []
  } catch {
    return []
  }
}
