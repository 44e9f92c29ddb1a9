/** A sensible set of rules, as somebody might have them after some weeks of work, and a small disk for the commands of the corpus. */
import { posix } from "node:path"
import type { CommandPorts, CommandRule } from "../../command-judge.ts"

const ALLOWED = `
git status
git diff *
git log *
git add *
git commit *
npm test
npm test *
npm run *
npm ci
node --test *
node scripts/build.mjs *
npx tsc *
npx vitest run *
npx biome check *
cargo build
cargo build *
cargo test *
cargo check
go build ./...
go test *
make *
ls *
cat *
grep *
rg *
find *
head *
tail *
wc *
mkdir *
touch *
cp *
mv *
sed *
awk *
sort *
uniq *
jq *
tar *
rsync *
python3 -m pytest *
pytest *
eslint *
tsc *
docker ps *
echo *
xargs *
tee *
`
const DENIED = "rm *\ncurl *\nwget *\nnpm publish *\ngit push *\nsudo *\n"

export const RULES: readonly CommandRule[] = [...lines(ALLOWED, "allow"), ...lines(DENIED, "deny")]
/** The same without any that denies: what is not allowed has to be noticed by itself. */
export const ALLOW_ONLY: readonly CommandRule[] = RULES.filter(({ decision }) => decision === "allow")

function lines(text: string, decision: CommandRule["decision"]): CommandRule[] {
  const patterns = text.split("\n").filter(Boolean)
  return patterns.map((pattern) => ({ decision, pattern, source: "settings.json" }))
}

export const WORKSPACE = "/home/person/project"
const HOME = "/home/person"
/** Links of the small disk: where each leads. */
const LINKS: Record<string, string> = {
  [`${WORKSPACE}/link-to-etc`]: "/etc",
  [`${WORKSPACE}/shortcut`]: "/home/person/other/notes.txt",
}
const FOLDERS: Record<string, string[]> = {
  [WORKSPACE]: [
    "src",
    "test",
    "package.json",
    "README.md",
    "link-to-etc",
    "shortcut",
    "dist",
    ".env",
    ".git",
    "notes.log",
    "private.txt",
  ],
  [`${WORKSPACE}/src`]: ["a.ts", "b.ts", "lib/"],
  [`${WORKSPACE}/test`]: ["a.test.ts"],
  [`${WORKSPACE}/odd`]: ["-rf", "--pre=evil.sh", "x"],
  [`${WORKSPACE}/keys`]: ["server.pem", "readme.txt"],
}

/** Writing in src, test, docs, out and to *.log is allowed, the rest asks. */
export function ports(options: Partial<CommandPorts> = {}): CommandPorts {
  return {
    workspace: WORKSPACE,
    home: HOME,
    async locate(path, cwd) {
      const real = follow(posix.resolve(WORKSPACE, cwd ?? "", path))
      const relative = posix.relative(WORKSPACE, real)
      const outside = relative === ".." || relative.startsWith("../")
      return { path, real, relative: outside ? "" : relative, outside }
    },
    isProtected: (relative) => /^(?:\.git|\.joey|\.roo|\.vscode)(?:\/|$)/.test(relative),
    isIgnored: (relative) => relative === "private.txt" || relative.startsWith("private/"),
    isCredential: (path) =>
      /\/(?:\.env(?:\.\w+)?|\.ssh(?:\/.*)?|\.aws\/.*|\.npmrc|.*\.pem|id_\w+|\.netrc)$|^\/etc\/shadow/.test(path),
    async judgeWrite({ relative }) {
      const allowed = /^(?:src|test|docs|out|dist)\/|\.log$/.test(relative)
      return allowed
        ? { verdict: "allow", reason: "writing there is allowed" }
        : { verdict: "ask", reason: `it writes to ${relative}` }
    },
    list: async (folder) => FOLDERS[folder],
    tracked: async () => ({ root: WORKSPACE, names: ["README.md", "package.json", "src/a.ts", "src/b.ts", "test/a.test.ts"] }),
    scratch: ["/tmp"],
    ...options,
  }
}

function follow(path: string): string {
  for (const [link, target] of Object.entries(LINKS)) {
    if (path === link || path.startsWith(`${link}/`)) return target + path.slice(link.length)
  }
  return path
}
