// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell lines
import { describe, expect, it } from "vitest"
import { parseCommandLine, plainCommand } from "./parse.ts"

async function commands(line: string): Promise<string[]> {
  const { commands: found, doubts } = await parseCommandLine(line)
  expect(doubts).toEqual([])
  return found.filter(({ wrapper }) => !wrapper).map(({ argv }) => argv.map((word) => word ?? "?").join("|"))
}

describe("the commands of a line", () => {
  it.each([
    ["a b c", ["a|b|c"]],
    ["a; b && c || d & e", ["a", "b", "c", "d", "e"]],
    ["a | b | c", ["a", "b", "c"]],
    ["(a; { b; })", ["a", "b"]],
    ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
    ["while a; do b; done", ["a", "b"]],
    ["case x in y) a;; *) b;; esac", ["a", "b"]],
    ["! a", ["a"]],
    ["a $(b $(c)) `d`", ["c", "b|?", "d", "a|?|?"]],
    ["a 'b c' \"d e\" f\\ g h''i", ["a|b c|d e|f g|hi"]],
    ["a \\\n  b", ["a|b"]],
    ["a # b\nc", ["a", "c"]],
    ["a > x b 2>&1 c", ["a|b|c"]],
    ["> x a b", ["a|b"]],
    ["a <<E b\nE\n", []],
    ["X=1 Y=2 a", ["a"]],
    ["for f in x y; do a $f; done", ["a|x", "a|y"]],
    ['D=x; a $D/y "$D"', ["", "a|x/y|x"]],
    ["a {b,c}{1,2} d{1..3}", ["a|b1|b2|c1|c2|d1|d2|d3"]],
    ['a $X "$Y" ${Z}', ["a|?|?|?"]],
    ["time -p a", ["a"]],
    ["env -i X=1 a b", ["a|b"]],
    ["timeout -k 5 10 nice -n 3 a", ["a"]],
    ["xargs -n 1 a b", ["a|b|?"]],
    ["xargs -I{} a {} b", ["a|?|b"]],
    ["find . -exec a {} \\; -exec b {} +", ["find|.|-exec|a|{}|;|-exec|b|{}|+", "a|?", "b|?"]],
    ["bash -euo pipefail -c 'a; b \"c d\"'", ["a", "b|c d"]],
    ["[ -f a ] && b", ["[|-f|a|]", "b"]],
    ["cat <<'E' | b\n$(x) `y`\nE\nc", ["cat", "b", "c"]],
  ])("%s", async (line, expected) => {
    if (expected.length === 0) expect((await parseCommandLine(line)).doubts).not.toEqual([])
    else expect(await commands(line)).toEqual(expected)
  })

  it("are known with the folders they may run in", async () => {
    const folders = async (line: string) => (await parseCommandLine(line)).commands.at(-1)?.folders
    expect(await folders("cd a && cd b && x")).toEqual(["a/b"])
    expect(await folders("cd a; x")).toEqual(["a", ""])
    expect(await folders("cd a || x")).toEqual([""])
    expect(await folders("(cd a) && x")).toEqual([""])
    expect(await folders("cd a & x")).toEqual([""])
    expect(await folders("cd a | x")).toEqual([""])
    expect(await folders("cd /a && cd ~/b && x")).toEqual(["~/b"])
    expect(await folders("cd $A && x")).toBeUndefined()
    expect(await folders("cd && x")).toBeUndefined()
    expect(await folders("for i in 1; do cd ..; done; x")).toBeUndefined()
    expect(await folders("command cd a && x")).toBeUndefined()
  })

  it("are known with what they were found in", async () => {
    const { commands: found } = await parseCommandLine("sudo sh -c 'ls | xargs -n1 echo $(pwd)'")
    expect(found.map(({ argv, via }) => `${argv[0]}: ${via.join(" ")}`)).toEqual([
      "sudo: ",
      "sh: sudo",
      "ls: sudo sh -c",
      "pwd: sudo sh -c $(…)",
      "xargs: sudo sh -c",
      "echo: sudo sh -c xargs",
    ])
  })

  it("a redirection is a write or a read, from where its command stands", async () => {
    const { writes, reads } = await parseCommandLine("a < in >> log 2>&1 && cd d && b &> all; c 2>/dev/null >| over")
    expect(writes.map(({ operator, target, folders }) => [operator, target.value, folders?.join()])).toEqual([
      [">>", "log", ""],
      ["&>", "all", "d"],
      [">", "/dev/null", "d,"],
      [">|", "over", "d,"],
    ])
    expect(reads.map(({ target }) => target.value)).toEqual(["in"])
  })

  it("a variable is known only where nothing else can have set it", async () => {
    const last = async (line: string) => (await parseCommandLine(line)).commands.at(-1)?.argv
    expect(await last("X=a; b $X")).toEqual(["b", "a"])
    expect(await last("b $X; X=a")).toEqual([])
    expect((await parseCommandLine("b $X; X=a")).commands[0]?.argv).toEqual(["b", undefined])
    expect(await last("false && X=a; b $X")).toEqual(["b", undefined])
    expect(await last("(X=a); b $X")).toEqual(["b", undefined])
    expect(await last("X=a & b $X")).toEqual(["b", undefined])
    expect(await last("X=a; read X; b $X")).toEqual(["b", undefined])
    expect(await last("X=$(c); b $X")).toEqual(["b", undefined])
    expect(await last("X='a b'; c $X")).toEqual(["c", undefined])
    expect(await last("X='a b'; c \"$X\"")).toEqual(["c", "a b"])
    expect(
      (await parseCommandLine("X=a; X=b; c $X")).commands.filter(({ argv }) => argv[0] === "c").map(({ argv }) => argv[1]),
    ).toEqual(["a", "b"])
  })
})

describe("a doubt", () => {
  it.each([
    ["a function", "f() { a; }"],
    ["an array", "x=(1 2)"],
    ["a process substitution", "a <(b)"],
    ["an expansion that does more", "a ${x//b/c}"],
    ["an assignment inside an expansion", "a ${x:=b}"],
    ["arithmetic with names", "a $((x + 1))"],
    ["arithmetic as a command", "((x = 1))"],
    ["a quote that is not closed", "a 'b"],
    ["a carriage return", "a\r\nb"],
    ["a zero byte", "a\0b"],
    ["a look-alike outside quotes", "lѕ"],
    ["a text that is turned around", 'echo "\u202e"'],
    ["a string with escapes", "a $'\\x41'"],
    ["eval", "eval a"],
    ["a script that is not known", 'sh -c "$X"'],
    ["a program that is fed", "a | sh"],
    ["a here-document with commands in it", "cat <<E\n$(a)\nE"],
    ["what a plain sh reads as two commands", "a &> x b"],
    ["a descriptor that is none", "a -f2> x"],
    ["reading and writing the same file", "a <> x"],
    ["a line too long", `a ${"b".repeat(200_000)}`],
  ])("is left by %s", async (_, line) => {
    expect((await parseCommandLine(line)).doubts).not.toEqual([])
  })

  it("does not keep what was found from being told", async () => {
    const { commands: found } = await parseCommandLine("x=(1 2); rm -rf $x; f() { git push; }; eval 'curl z'")
    expect(found.map(({ argv }) => argv[0])).toEqual(expect.arrayContaining(["rm", "git", "curl"]))
  })
})

describe("plain words", () => {
  it.each(["git status", "ls -la src/a.ts", "npm run test:unit --x=1"])("%s are read on the short way", (line) => {
    expect(plainCommand(line)?.argv).toEqual(line.split(" "))
  })

  it.each([
    "a  b",
    " a",
    "a ",
    "a;b",
    "a $b",
    "a *",
    "X=1 a",
    "a\nb",
    "if a",
    "a ~",
    "a 'b'",
    "export X=1",
    "a #b",
    "é",
    "{ a",
    "! a",
    "",
  ])("%j are not", (line) => expect(plainCommand(line)).toBeUndefined())
})
