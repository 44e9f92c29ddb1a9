/**
 * How paths are written on other systems, and which names a forgiving disk takes for the same. Pure, with the platform as a
 * value, so that every form is tested everywhere.
 */

/** No system takes a longer one. What a model sends may be longer by far. */
export const LONGEST_PATH = 4096

/** Characters that some disks leave out when they compare names (HFS+), and others that nobody sees. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu
/** The short names that Windows gives to .git. */
const SHORT_GIT = /^(?:git~\d+|gi[0-9a-f]{4}~\d+)$/
const PLAIN = /^[a-z0-9_/-]*(?:\.[a-z0-9_-]+(?:\/[a-z0-9_-]+)*)*$/

/**
 * One form for all names that any disk takes for the same: letter case, composed and decomposed letters, unseen characters,
 * blanks and dots at the end, streams, the short names of .git, either slash. Only for what restricts: it makes different
 * names equal.
 */
export function foldPath(path: string): string {
  if (PLAIN.test(path)) return path
  const text = path.normalize("NFKC").replace(UNSEEN, "").toUpperCase().toLowerCase()
  return text.replaceAll("\\", "/").split("/").map(foldName).join("/")
}

function foldName(name: string, at: number): string {
  if (name === "." || name === "..") return name
  const stream = at === 0 && /^[a-z]:/.test(name) ? -1 : name.indexOf(":")
  const bare = (stream > 0 ? name.slice(0, stream) : name).replace(/[. ]+$/, "")
  return SHORT_GIT.test(bare) ? ".git" : bare
}

/** Names that Windows keeps for devices, in every folder and with every ending. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³])(?: *[.:].*)?$/i

export interface FormOptions {
  platform: string
  /** Paths beneath it may have the form that it has itself. */
  workspace?: string
}

/**
 * Why a path is not taken as it is written, in words that go on after the path; undefined when it is. What is refused here is never
 * asked of the disk: on Windows only to look at `\\server\share` signs the person in there.
 */
export function refusedForm(path: string, { platform, workspace }: FormOptions): string | undefined {
  if (path.length > LONGEST_PATH) return "the path is too long"
  if (path.includes("\0")) return "the path contains a character that no path can have"
  if (platform !== "win32") return undefined
  const inside = workspace !== undefined && isBeneath(workspace, path, platform)
  return refusedOnWindows((inside ? path.slice(workspace.length) : path).replaceAll("/", "\\"))
}

/** By the letter: a disk may take more names for the same, but what allows must not guess. */
export function isBeneath(root: string, path: string, platform: string): boolean {
  const slashes = (text: string) => (platform === "win32" ? text.replaceAll("\\", "/") : text)
  const [above, below] = [slashes(root), slashes(path)]
  return below === above || (above !== "" && below.startsWith(above.endsWith("/") ? above : `${above}/`))
}

function refusedOnWindows(path: string): string | undefined {
  if (path.startsWith("\\\\") || path.startsWith("\\??\\")) return refusedNamespace(path)
  if (/^[a-z]:(?!\\)/i.test(path)) return "give the path from the drive (C:\\…) or from the workspace"
  for (const name of path.replace(/^[a-z]:/i, "").split("\\")) {
    const why = refusedName(name)
    if (why) return why
  }
  return undefined
}

function refusedNamespace(path: string): string {
  return /^\\\\[^.?\\]/.test(path)
    ? "this is on another computer; only files of this one can be used"
    : "give the path as C:\\… or from the workspace, not in a device's form"
}

function refusedName(name: string): string | undefined {
  if (name === "" || name === "." || name === "..") return undefined
  if (DEVICE.test(name.replace(/[. ]+$/, ""))) return `${name.trim()} is a device on Windows, not a file`
  if (name.includes(":")) return "a colon would name a hidden stream of a file"
  if (/[. ]$/.test(name)) return "Windows drops a dot or blank at the end of a name; leave it out"
  if (/[<>"|?*\x01-\x1f]/.test(name)) return "it holds a character that no name on Windows can have"
  return undefined
}
