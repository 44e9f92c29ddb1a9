/** Globs for paths with forward slashes: `*`, `?`, `**`, `[a-z]`, `{a,b}`. A glob without a slash is for the name alone. */

const BRACES_AT_MOST = 256

export function globPattern(glob: string): RegExp {
  const alternatives = expandBraces(glob).map(translate)
  try {
    return new RegExp(`^(?:${alternatives.join("|")})$`)
  } catch {
    return new RegExp(`^${glob.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`) // a range such as [z-a]: taken as it stands
  }
}

export function matchesGlob(glob: string, path: string): boolean {
  const wanted = glob.replace(/^\.\//, "")
  const subject = wanted.includes("/") ? path : path.slice(path.lastIndexOf("/") + 1)
  return globPattern(wanted).test(subject)
}

/** More alternatives than anybody writes stay as they stand. */
function expandBraces(glob: string): string[] {
  let open = [glob]
  const done: string[] = []
  while (open.length > 0) {
    const next: string[] = []
    for (const one of open) {
      const [whole, inner = ""] = /\{([^{}]*,[^{}]*)\}/.exec(one) ?? []
      if (whole === undefined || open.length + next.length + done.length > BRACES_AT_MOST) done.push(one)
      else next.push(...inner.split(",").map((choice) => one.replace(whole, () => choice)))
    }
    open = next
  }
  return done
}

function translate(glob: string): string {
  return glob
    .replace(/\/+$/, "/**")
    .replace(/\*\*\/(?:\*\*\/)+/g, "**/")
    .replace(/\*\*\/|\/\*\*$|\*+|\?|\[!?[^\]/]+\]|[\\^$.+()[\]{}|]/g, (token) => {
      if (token === "**/") return "(?:[^/]+/)*"
      if (token === "/**") return "(?:/.*)?"
      if (token === "**") return ".*"
      if (token.startsWith("*")) return "[^/]*"
      if (token === "?") return "[^/]"
      if (token.length > 2 && token.startsWith("[")) return token.replace(/^\[!/, "[^").replaceAll("\\", "\\\\")
      return `\\${token}`
    })
}
