/** What a file's path says of it: whether it is searched at all, and how much what it holds should count. */

/** Written by programs, or nothing to read. */
const LEFT_OUT = new RegExp(
  [
    String.raw`\.(?:png|jpe?g|gif|webp|ico|bmp|svg|pdf|woff2?|ttf|otf|eot|mp[34]|mov|avi|wav|ogg)$`,
    String.raw`\.(?:zip|gz|tgz|xz|7z|rar|jar|war|class|o|a|so|dll|dylib|exe|bin|wasm|pyc|pyo|pack|idx)$`,
    String.raw`\.(?:sqlite3?|db|map|lock|lockb|snap|min\.[cm]?js|min\.css|csv|tsv|parquet|log)$`,
    String.raw`(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|\.DS_Store)$`,
    String.raw`(?:^|/)(?:\.git|\.hg|\.svn|node_modules|__pycache__|\.venv|\.tox)/`,
  ].join("|"),
  "i",
)

export function isLeftOut(path: string): boolean {
  return LEFT_OUT.test(path)
}

const TEST_FOLDER = /(?:^|\/)(?:tests?|__tests__|specs?|fixtures?|testdata|mocks?|__mocks__|e2e|bench(?:marks?)?)\//i
const TEST_FILE = /[._-](?:test|spec|bench)\.\w+$|(?:^|\/)test_\w+\.py$|_test\.go$/i
const VENDORED = /(?:^|\/)(?:vendor|third[_-]?party|external|deps|bundled?|generated|gen)\//i
const EXAMPLE = /(?:^|\/)(?:examples?|samples?|demos?)\//i
const DECLARATION = /\.d\.[cm]?ts$/
const DOCUMENT = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i
const DATA = /\.(?:json|jsonc|ya?ml|toml|ini|xml|html?|css|scss|less)$/i

/** 1 for code that people wrote to be run; less for what only repeats, tests, declares or speaks of it. */
export function weightOf(path: string): number {
  let weight = 1
  if (TEST_FOLDER.test(path) || TEST_FILE.test(path)) weight *= 0.6
  if (VENDORED.test(path)) weight *= 0.6
  if (EXAMPLE.test(path)) weight *= 0.8
  if (DECLARATION.test(path)) weight *= 0.7
  if (DOCUMENT.test(path)) weight *= 0.75
  if (DATA.test(path)) weight *= 0.7
  return weight
}

/** Lines so long that no person wrote them: nobody wants to see them, and their words are no words. */
export function looksMinified(text: string): boolean {
  if (text.length < 2000) return false
  let lines = 1
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++
  return text.length / lines > 300
}
