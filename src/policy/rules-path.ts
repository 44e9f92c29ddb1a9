/**
 * The path in a rule: `./x` and `x/y` from the workspace, a bare name at any depth, `~/x` from home, `//x` from the root of the disk. What
 * names a folder holds for everything in it. A pattern that restricts also looks at the path as it was written, overlooks letter case, and
 * takes `/x` both ways; one that allows goes by where the path really leads, and outside only if it is written from home or the root.
 */
import { resolve } from "node:path"
import type { TouchedPath } from "../types/stations.ts"
import { compileGlob, type Glob } from "./rules-glob.ts"

export interface RulePlaces {
  workspace: string
  /** The person's home folder. */
  home: string
}

export interface PathPattern {
  /** Without wildcards: what the pattern names by itself. */
  literal: string
  /** It names one path and no more. */
  exact: boolean
  matches(path: TouchedPath): boolean
}

interface Tests {
  /** Over the path from the workspace. */
  inside?: Glob
  /** Over the whole path. */
  whole?: Glob
}

type Fold = (text: string) => string

export function compilePath(specifier: string, places: RulePlaces, { strict }: { strict: boolean }): PathPattern | undefined {
  const fold: Fold = strict ? (text) => text : folded
  if (specifier.startsWith("!")) return undefined
  const written = specifier.replace(/^~(?=\/|$)/, () => `/${rooted(escaped(slashes(places.home)))}`)
  const absolute = written.startsWith("//") || /(?:^|\/)\.\.(?:\/|$)/.test(written)
  const tests = absolute ? absoluteTests(written, places, fold) : insideTests(written, strict, fold)
  if (!tests) return undefined
  const { inside, whole } = tests
  const literal = specifier.replaceAll("*", "")
  return {
    literal,
    exact: literal === specifier && !/[?[{]/.test(specifier),
    matches(path) {
      const { real, lexical } = formsOf(path, places.workspace)[strict ? "exact" : "folded"]
      if ((real.inside && inside?.(real.inside)) || whole?.(real.whole)) return true
      if (strict) return false
      return (whole?.(lexical.whole) ?? false) || (lexical.inside !== undefined && (inside?.(lexical.inside) ?? false))
    },
  }
}

/** A path cut into names, whole and from the workspace. */
interface Names {
  whole: readonly string[]
  inside?: readonly string[]
}

/** Where a path leads, and how it was written. */
interface Form {
  real: Names
  lexical: Names
}

/** Every rule looks at the same path: it is cut once. */
const forms = new WeakMap<TouchedPath, { workspace: string; exact: Form; folded: Form }>()

function formsOf(path: TouchedPath, workspace: string): { exact: Form; folded: Form } {
  const known = forms.get(path)
  if (known?.workspace === workspace) return known
  const made = { workspace, exact: formOf(path, workspace, (text) => text), folded: formOf(path, workspace, folded) }
  forms.set(path, made)
  return made
}

function formOf({ path, real, relative, outside }: TouchedPath, workspace: string, fold: Fold): Form {
  const lexical = rooted(slashes(resolve(workspace, path)))
  const root = `${rooted(slashes(resolve(workspace)))}/`
  const cut = (text: string) => fold(text).split("/")
  return {
    real: { whole: cut(rooted(slashes(real))), ...(!outside && { inside: cut(relative) }) },
    lexical: { whole: cut(lexical), ...(lexical.startsWith(root) && { inside: cut(lexical.slice(root.length)) }) },
  }
}

function folded(text: string): string {
  return text.normalize("NFC").toLowerCase()
}

function insideTests(written: string, strict: boolean, fold: Fold): Tests | undefined {
  const anchored = /^\.?\//.test(written) || written.replace(/\/+$/, "").includes("/")
  const bare = written.replace(/^\.?\/+/, "").replace(/\/+$/, "")
  const inside = covering(fold(anchored ? bare : `**/${bare}`))
  if (!inside) return undefined
  // Outside the workspace a bare name, or `/x` meant from the root, can only restrict.
  const whole =
    strict || written.startsWith("./") || (anchored && !written.startsWith("/"))
      ? undefined
      : fold(`${anchored ? "" : "/**"}/${bare}`)
  const elsewhere = whole === undefined ? undefined : covering(whole)
  return { inside, ...(elsewhere && { whole: elsewhere }) }
}

function absoluteTests(written: string, { workspace }: RulePlaces, fold: Fold): Tests | undefined {
  const from = written.startsWith("//")
    ? written.slice(1)
    : `${rooted(escaped(slashes(workspace)))}/${written.replace(/^\.?\/+/, "")}`
  const steps: string[] = []
  for (const step of from.split("/")) {
    if (step === "..") steps.pop()
    else if (step !== "." && step !== "") steps.push(step)
  }
  const whole = covering(fold(`/${steps.join("/")}`))
  return whole && { whole }
}

/** The path itself and everything below it. */
function covering(pattern: string): Glob | undefined {
  return compileGlob(`${pattern}/**`)
}

/** A folder's own name is no pattern. */
function escaped(path: string): string {
  return path.replace(/[\\*?[\]{}]/g, "\\$&")
}

/** A drive's letter counts as a folder of the root. */
function rooted(path: string): string {
  return path.startsWith("/") ? path : `/${path}`
}

function slashes(path: string): string {
  return path.replaceAll("\\", "/")
}
