/** Slash commands: where they are found, and what becomes of their arguments. */
import { describe, expect, it } from "vitest"
import type { SlashCommand } from "../types/project.ts"
import { expandCommand, findCommand, loadCommands } from "./commands.ts"
import { type Files, testFolder } from "./test-folder.ts"

async function load(files: { work?: Files; home?: Files }) {
  const { commands, findings } = await loadCommands(await testFolder(files))
  return { own: commands.filter(({ scope }) => scope !== "built-in"), commands, findings }
}

const body = (text: string): SlashCommand => ({ name: "x", body: text, scope: "project" })

describe("slash commands", () => {
  it("S36: /init is always there", async () => {
    const { commands, findings } = await load({})
    expect(commands.map(({ name, scope }) => `${name} ${scope}`)).toEqual(["init built-in"])
    expect(commands[0]?.body).toContain("AGENTS.md")
    expect(findings).toEqual([])
  })

  it("S36: come from .joey, .roo and .claude, of the project and of the home folder", async () => {
    const { own, findings } = await load({
      work: {
        ".joey/commands/a.md": "A",
        ".roo/commands/b.md": "---\ndescription: Does b\nargument-hint: <file>\nmode: ask\n---\nB\n",
        ".roo/commands/deeper/no.md": "not read",
        ".roo/commands/notes.txt": "not read",
        ".claude/commands/c.md": "C",
        ".claude/commands/front/end/d.md": "D",
      },
      home: { ".joey/commands/e.md": "E", ".roo/commands/f.md": "F", ".claude/commands/g.md": "G" },
    })
    expect(findings).toEqual([])
    expect(own.map(({ name, scope }) => `${name} ${scope}`)).toEqual([
      "a project",
      "b project",
      "c project",
      "e global",
      "f global",
      "front:end:d project",
      "g global",
    ])
    expect(own[1]).toMatchObject({ body: "B", description: "Does b", argumentHint: "<file>", mode: "ask" })
  })

  it("project over global over built-in, in the list and in the search alike", async () => {
    const { commands } = await load({
      work: { ".roo/commands/x.md": "project", ".claude/commands/x.md": "claude" },
      home: { ".roo/commands/x.md": "global", ".roo/commands/init.md": "mine" },
    })
    expect(commands.map((command) => `${command.name} ${command.body}`)).toEqual(["init mine", "x project"])
    expect(findCommand(commands, "init")?.body).toBe("mine")
  })

  it("one in a folder is found by its last part too, when that is clear", async () => {
    const { commands } = await load({
      work: { ".claude/commands/a/one.md": "1", ".claude/commands/a/two.md": "2", ".claude/commands/b/two.md": "3" },
    })
    expect(["a:one", "one", "two", "b:two", "ne", ""].map((name) => findCommand(commands, name)?.body)).toEqual([
      "1",
      "1",
      undefined,
      "3",
      undefined,
      undefined,
    ])
  })

  it("blank fields and fields that are no text are ignored; a hint in brackets is one", async () => {
    const { own, findings } = await load({
      work: {
        ".roo/commands/a.md": "---\ndescription: ''\nargument-hint: 3\nmode:\n---\nA",
        ".roo/commands/b.md": "---\nargument-hint: [file]\n---\nB",
        ".roo/commands/c.md": "---\nargument-hint: [file] [line]\nallowed-tools: Bash(git log:*)\n---\nC",
      },
    })
    expect(findings).toEqual([])
    expect(own.map(({ description, argumentHint, mode }) => [description, argumentHint, mode])).toEqual([
      [undefined, undefined, undefined],
      [undefined, "[file]", undefined],
      [undefined, "[file] [line]", undefined],
    ])
  })

  it("links are followed under their own names, circles end, and each broken file gives one finding", async () => {
    const { own, findings } = await load({
      work: {
        "shared/real.md": "R",
        ".roo/commands/alias.md": { to: "../../shared/real.md" },
        ".roo/commands/gone.md": { to: "nowhere.md" },
        ".roo/commands/two words.md": "T",
        ".roo/commands/empty.md": "---\ndescription: nothing\n---\n",
        ".roo/commands/bad.md": "---\ndescription: [open\n---\nBody",
        ".roo/commands/grüße.md": "G",
        ".claude/commands/round": { to: "." },
        ".claude/commands/c.md": "C",
      },
    })
    expect(own.map((command) => `${command.name} ${command.body}`)).toEqual([
      "alias R",
      "bad ---\ndescription: [open\n---\nBody",
      "c C",
      "grüße G",
    ])
    expect(findings.map(({ file, line }) => `${file}:${line}`)).toEqual([
      ".roo/commands/bad.md:2",
      ".roo/commands/empty.md:undefined",
      ".roo/commands/gone.md:undefined",
      ".roo/commands/two words.md:undefined",
    ])
  })
})

describe("arguments", () => {
  it.each([
    ["Fix $ARGUMENTS now", "issue 7", "Fix issue 7 now"],
    ["Fix $1 in $2", "7 src/a.ts", "Fix 7 in src/a.ts"],
    ["Say $1, then $2", `"hello world" 'a b'`, "Say hello world, then a b"],
    ["All: $ARGUMENTS; first: $1", "a b", "All: a b; first: a"],
    ["Fix it", "", "Fix it"],
    ["Fix it", "  quickly ", "Fix it\n\nArguments: quickly"],
    ["Use $ARGUMENTS", "", "Use"],
    ["awk '{print $1}'", "", "awk '{print $1}'"],
    ["$1 and $2", "one", "one and $2"],
    ["costs $10 and $ARGUMENTSX", "a", "costs $10 and $ARGUMENTSX\n\nArguments: a"],
    ["Replace $1", "$& $1 $$", "Replace $&"],
    ["All $ARGUMENTS", "$1 $ARGUMENTS $&", "All $1 $ARGUMENTS $&"],
  ])("%j with %j", (text, args, expected) => expect(expandCommand(body(text), args)).toBe(expected))
})
