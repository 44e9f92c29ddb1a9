/** In which language the person reads: their setting, else what the machine's locale says. */

/** undefined when nobody says anything: the model then follows the person's words. */
export function languageOf(setting: string | undefined, env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (setting?.trim()) return setting.trim()
  const locale = env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"] || ""
  const tag = locale.replace(/[.@].*$/su, "").replaceAll("_", "-")
  return /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/iu.test(tag) ? tag : undefined // not "C", not "POSIX"
}
