/** The version the build was made with. */
declare const JOEY_VERSION: string | undefined

export function versionOf(): string {
  return typeof JOEY_VERSION === "string" ? JOEY_VERSION : "development"
}
