import { describe, expect, it } from "vitest"
import { type CommandPorts, type CommandRule, judgeCommand } from "./command-judge.ts"
import { ports, WORKSPACE } from "./shell/corpus/rules.ts"

function rules(text: string): CommandRule[] {
  return text.split("\n").map((line) => {
    const [decision = "", ...words] = line.split(" ")
    if (decision !== "allow" && decision !== "ask" && decision !== "deny") throw new Error(`no decision: ${line}`)
    return { decision, pattern: words.join(" "), source: "settings.json:3" }
  })
}

async function judged(line: string, text = "allow echo *", options: Partial<CommandPorts> & { cwd?: string } = {}) {
  const { cwd, ...others } = options
  return judgeCommand({ line, ...(cwd && { cwd }) }, text === "" ? [] : rules(text), ports(others))
}

describe("rules", () => {
  it.each([
    ["git status", "git status", "allow"],
    ["git fetch", "git fetch -v", "ask"],
    ["git fetch *", "git fetch", "allow"],
    ["git fetch *", "git fetch origin main", "allow"],
    ["git fetch:*", "git fetch origin", "allow"],
    ["git fetch *", "git fetchx", "ask"],
    ["git *", "git;pull", "ask"],
    ["git *", "gitx pull", "ask"],
    ["npm run build", "npm run build", "allow"],
    ["npm run build", "npm run build2", "ask"],
    ["npm run test:*", "npm run test --watch", "allow"],
    ["docker * logs", "docker compose logs", "allow"],
    ["yarn workspace * build", "yarn workspace app build", "allow"],
    ["yarn workspace * build", "yarn workspace app deploy", "ask"],
    ["just --set=*", "just --set=x", "allow"],
    ['just "two words"', "just 'two words'", "allow"],
    ["just deploy", "'just' \"deploy\"", "allow"],
    ["*", "anything --at all", "allow"],
    ["sudo systemctl status *", "sudo systemctl status nginx", "allow"],
    ["systemctl status *", "sudo systemctl status nginx", "ask"],
    ["API_URL=local just dev", "API_URL=local just dev", "allow"],
    ["API_URL=local just dev", "API_URL=other just dev", "ask"],
    ["python -c *", "python -c 'print(1)'", "allow"],
    ["python *", "python -c 'print(1)'", "ask"],
    ["python *", "python tool.py -c x", "allow"],
    ["git diff --output=out/x *", "git diff --output=out/x", "allow"],
    ["make CC=clang *", "make CC=clang all", "allow"],
  ])("allow %s: %s → %s", async (pattern, line, verdict) => {
    expect((await judged(line, `allow ${pattern}`)).verdict).toBe(verdict)
  })

  it.each([
    "rm x",
    "rm -rf src",
    "/bin/rm x",
    "/usr/bin/../bin/rm x",
    "\\rm x",
    "r''m x",
    'r"m" x',
    "RM x",
    "command rm x",
    "env rm x",
    "sudo rm x",
    "nohup rm x &",
    "timeout 5 nice rm x",
    "busybox rm x",
    "ls; rm x",
    "ls | xargs rm",
    "echo $(rm x)",
    "echo `rm x`",
    "cat <(rm x)",
    "sh -c 'rm x'",
    "bash -lc 'ls && sh -c \"rm x\"'",
    "find . -exec rm {} +",
    "if true; then rm x; fi",
    "for i in 1 2; do rm $i; done",
    "f() { rm x; }",
    "{ rm x; } > /dev/null",
    "eval 'rm x'",
    'eval "r"m x',
    "trap 'rm x' EXIT",
    "$'rm' x",
    "X=rm; $X y",
    "cat <<EOF\n$(rm x)\nEOF",
    "bash <<< 'rm x'",
    "echo 'rm x' | sh",
  ])("deny rm *: %s", async (line) => {
    expect(await judged(line, "allow *\nallow rm *\ndeny rm *")).toMatchObject({ verdict: "deny" })
  })

  it.each([
    ["git push *", "git push"],
    ["git push *", "git -C src push origin"],
    ["git push *", "git -c x=y --no-pager push --force"],
    ["git push --force *", "git push origin --force"],
    ["rm -rf *", "rm -r -f src"],
    ["rm -rf *", "rm -fr src"],
    ["rm -rf *", "rm --recursive --force src"],
    ["rm -rf *", "rm -Rf src"],
    ["curl *", "curl"],
    ["* --no-verify", "git commit --no-verify"],
    ["* --no-verify", "git commit --no-veri"],
    ["* publish", "pnpm -r publish"],
    ["sudo *", "sudo ls"],
    ["npm publish", "npm publish"],
  ])("deny %s: %s", async (pattern, line) => {
    expect(await judged(line, `allow *\ndeny ${pattern}`)).toMatchObject({ verdict: "deny", rule: { pattern } })
  })

  it.each([
    ["git push *", "git status"],
    ["git push *", "git commit -m push"],
    ["git push *", "git log origin/push"],
    ["rm -rf *", "rm src/a.ts"],
    ["rm *", "echo rm x"],
    ["rm *", "grep -rn 'rm -rf' src"],
    ["sudo *", "echo sudo"],
  ])("deny %s leaves alone: %s", async (pattern, line) => {
    expect((await judged(line, `allow *\ndeny ${pattern}`)).verdict).toBe("allow")
  })

  it("a word that is not known may be what a rule denies: a person decides", async () => {
    expect(await judged("git $X", "allow *\ndeny git push *")).toMatchObject({ verdict: "ask" })
  })

  it("a rule that asks wins over one that allows, and is named with where it came from", async () => {
    const verdict = await judged("git commit -m x", "allow git *\nask git commit *")
    expect(verdict).toMatchObject({ verdict: "ask", reason: "asked because of the rule git commit * (settings.json:3)" })
    expect((await judged("git pull", "allow git *")).reason).toBe("allowed by the rule git * (settings.json:3)")
    expect((await judged("rm x", "deny rm *")).reason).toBe("denied by the rule rm * (settings.json:3)")
  })

  it("every part of a line is told, with its verdict", async () => {
    const { parts } = await judged("git status && just x > out/y; cat /etc/hosts", "allow just *")
    expect(parts.map(({ command, verdict }) => `${command}: ${verdict}`)).toEqual([
      "git status: allow",
      "just x: allow",
      "cat /etc/hosts: ask",
      "> out/y: allow",
    ])
  })
})

describe("what only looks", () => {
  it("needs no rule, and the preset can be switched off", async () => {
    expect(await judged("git log -3 | head", "")).toMatchObject({ verdict: "allow" })
    expect(await judged("git log -3 | head", "", { readOnlyCommands: false })).toMatchObject({ verdict: "ask" })
  })

  it("lets words that only steer a line pass with the preset off", async () => {
    const line = "set -e; cd src && just build || exit 1"
    expect(await judged(line, "allow just *", { readOnlyCommands: false })).toMatchObject({ verdict: "allow" })
  })

  it("is judged from the folder that the call names", async () => {
    expect((await judged("cat ../a.ts", "", { cwd: "src/lib" })).verdict).toBe("allow")
    expect((await judged("cat ../../a.ts", "", { cwd: "src" })).verdict).toBe("ask")
    expect((await judged("cat private.txt", "", { cwd: "." })).verdict).toBe("deny")
  })
})

describe("what asks even where everything is allowed", () => {
  it.each([
    ["rm -rf /", "/"],
    ["rm -rf ~", "/home/person"],
    ['rm -rf "$HOME"', "/home/person"],
    ["rm -rf ~/", "/home/person"],
    ["rm -rf ..", "/home/person"],
    ["rm -rf .", WORKSPACE],
    ["rm -rf *", WORKSPACE],
    ["rm -rf ./*", WORKSPACE],
    ["rm -rf src/../../x", "/home/person/x"],
    ["rm -rf .git", `${WORKSPACE}/.git`],
    ["rm .git/index", ".git/index"],
    ["rm -rf link-to-etc/x", "/etc/x"],
    ["rm -rf $DIR", "$DIR"],
    ['rm -rf "$DIR/build"', "cannot be told"],
    ["rm -rf $DIR/*", "cannot be told"],
    ["rm -rf $(pwd)", "cannot be told"],
    ["cd .. && rm -rf x", "/home/person/x"],
    ["cd $X && rm -rf build", "cannot be told"],
    ["sudo rm -rf /usr", "/usr"],
    ["sh -c 'rm -rf /usr'", "/usr"],
    ["ls | xargs rm -rf", "cannot be told"],
    ["find / -delete", "/"],
    ["find . -delete", WORKSPACE],
    ["find .. -name '*.o' -delete", "/home/person"],
    ["find ~ -exec rm -rf {} +", "/home/person"],
    ["mv src /opt/x", "/opt/x"],
    ["mv ../other src", "/home/person/other"],
    ["cp -r src /etc", "/etc"],
    ["cp -t /etc src/a.ts", "/etc"],
    ["rsync -a --delete src/ /srv/", "/srv"],
    ["dd if=x of=/dev/sda", "/dev/sda"],
    ["mkfs.ext4 /dev/sda", "mkfs"],
    ["truncate -s 0 /etc/hosts", "/etc/hosts"],
    ["shred ~/x", "/home/person/x"],
    ["chmod -R 777 /", "/"],
    ["chown -R me ~", "/home/person"],
    ["sed -i s/a/b/ /etc/hosts", "/etc/hosts"],
    ["echo x > /etc/hosts", "/etc/hosts"],
    ["echo x >> ~/.bashrc", "/home/person/.bashrc"],
    ["echo x > .git/config", ".git/config"],
    ["echo x | tee /etc/hosts", "/etc/hosts"],
    ["git clean -fdx", "git ignores"],
    ["cat .env", ".env may hold secrets"],
    ["cp ~/.ssh/id_rsa x", "secrets"],
    ['eval "rm -rf $X"', "looks as if"],
    ["X=(a b); rm -rf /", "/"],
  ])("%s names %s", async (line, named) => {
    const verdict = await judged(line, "allow rm *\nallow mv *\nallow cp *\nallow find *\nallow cat *\nallow sh *")
    expect(verdict).toMatchObject({ verdict: "ask", grave: true })
    expect(verdict.parts.map(({ reason }) => reason).join("\n")).toContain(named)
  })

  it.each([
    "rm -rf dist",
    "rm -rf ./dist build/*.o",
    "cd src && rm -rf lib",
    "rm src/a.ts",
    "mv src/a.ts src/b.ts",
    "cp src/a.ts .",
    "find . -name '*.pyc' -delete",
    "find . -name __pycache__ -exec rm -rf {} +",
    "chmod -R u+x src",
    "chmod +x src/a.sh",
    "git clean -n",
    "rsync -a --delete src/ out/",
    "echo x > /tmp/joey/x",
    "rm -rf /tmp/joey/x",
    "for d in src/lib dist; do rm -rf $d; done",
    "python -c 'print(1)'",
    "npm install",
    "curl -o x http://x",
  ])("%s is not among them", async (line) => {
    expect((await judged(line, "allow rm *")).grave).toBe(false)
  })
})

describe("paths", () => {
  it("what the rules for paths deny stays denied, whatever allows the command", async () => {
    const judgeRead: CommandPorts["judgeRead"] = async ({ relative }) =>
      relative.startsWith("docs/") ? { verdict: "deny", reason: "denied by Read(docs/**)" } : { verdict: "allow", reason: "fine" }
    const judgeWrite: CommandPorts["judgeWrite"] = async ({ relative }) =>
      relative.startsWith("src/") ? { verdict: "deny", reason: "denied by Edit(src/**)" } : { verdict: "allow", reason: "fine" }
    expect(await judged("cat docs/a.md", "allow cat *", { judgeRead })).toMatchObject({ verdict: "deny", reason: /Read/ })
    expect(await judged("just docs/a.md", "allow *", { judgeRead })).toMatchObject({ verdict: "deny" })
    expect(await judged("cp README.md src/x", "allow cp *", { judgeWrite })).toMatchObject({ verdict: "deny", reason: /Edit/ })
    expect(await judged("echo x > src/x", "", { judgeWrite })).toMatchObject({ verdict: "deny" })
  })

  it("writing asks where nobody says that it is allowed", async () => {
    const without = { ...ports() }
    delete without.judgeWrite
    expect(await judgeCommand({ line: "echo x > src/x" }, [], without)).toMatchObject({ verdict: "ask", grave: false })
  })

  it("naming a file of secrets asks whatever is allowed, unless a rule names it too", async () => {
    expect(await judged("cat .env", "allow *")).toMatchObject({ verdict: "ask", grave: true })
    expect(await judged("just load .env", "")).toMatchObject({ verdict: "ask", grave: true })
    expect(await judged("cat .env", "allow cat .env")).toMatchObject({ verdict: "allow" })
  })

  it("a `..` behind a link is taken from where the link leads", async () => {
    expect((await judged("cat link-to-etc/../x", "allow cat *")).reason).toContain("/x")
    expect((await judged("cat link-to-etc/../x", "allow cat *")).verdict).toBe("ask")
  })
})

describe("bounds", () => {
  it("a line of a megabyte asks at once, and a rule that denies is still found in it", async () => {
    const line = `echo ${"a ".repeat(500_000)}; rm x`
    const started = performance.now()
    expect(await judged(line, "allow *")).toMatchObject({ verdict: "ask" })
    expect(await judged(line, "allow *\ndeny rm *")).toMatchObject({ verdict: "deny" })
    expect(performance.now() - started).toBeLessThan(2000)
  })

  it.each([
    ["parentheses", "(".repeat(3000)],
    ["substitutions", "$(".repeat(3000)],
    ["quotes", `"$(`.repeat(2000)],
    ["braces", "{a,".repeat(2000)],
    ["commands", "just x; ".repeat(5000)],
    ["here-documents", "cat <<E\n".repeat(2000)],
    ["backslashes", "\\".repeat(5001)],
  ])("thousands of %s do not hang, and ask", async (_, line) => {
    const started = performance.now()
    expect(await judged(line, "allow *")).toMatchObject({ verdict: "ask" })
    expect(performance.now() - started).toBeLessThan(3000)
  })

  it("an empty line, blanks and a comment run nothing", async () => {
    for (const line of ["", "  ", "\n", "# nothing"]) expect((await judged(line)).verdict).toBe("allow")
  })
})
