/** What a project says about its own files, and what holds where it says nothing. Paths are relative to the workspace. */

export interface PathRules {
  /** Kept from the agent altogether. */
  isIgnored(path: string): boolean
  /** Writing there changes what later runs by itself: always asked. */
  isProtected(path: string): boolean
}

const STEERING = /^(\.git|\.joey|\.roo|\.vscode)(\/|$)|(^|\/)(\.git|\.roomodes|\.rooignore|\.joeyignore|AGENTS?\.md)(\/|$)/i

export const DEFAULT_PATH_RULES: PathRules = {
  isIgnored: () => false,
  isProtected: (path) => STEERING.test(path),
}
