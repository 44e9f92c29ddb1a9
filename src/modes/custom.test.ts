/** Modes of files: every shape people use, and what happens to the broken ones. */
import { describe, expect, it } from "vitest"
import { openDisk } from "../project/disk.ts"
import { type Files, testFolder } from "../project/test-folder.ts"
import { builtInModes } from "./built-in.ts"
import { applyModePrompts, loadModes } from "./custom.ts"
import { findMode } from "./groups.ts"

async function load(files: { work?: Files; home?: Files }) {
  const places = await testFolder(files)
  const { modes, findings } = await loadModes({ ...places, disk: openDisk(places) })
  const custom = modes.filter((mode) => !builtInModes.includes(mode))
  return { modes, custom, findings, lines: findings.map(({ file, line, reason }) => `${file}:${line} ${reason}`) }
}

const roomodes = (text: string) => load({ work: { ".roomodes": text } })

const GOOD = `customModes:
  - slug: docs
    name: 📝 Docs
    roleDefinition: You write documents.
    groups: [read]
`

describe(".roomodes", () => {
  it("S43: nothing there leaves the built-in modes as they are", async () => {
    const { modes, findings } = await load({})
    expect(modes).toEqual(builtInModes)
    expect(findings).toEqual([])
  })

  it("S43: a YAML file with tuples and mappings", async () => {
    const { custom, findings } = await roomodes(`
customModes:
  - slug: docs
    name: 📝 Dokumente
    roleDefinition: >-
      You write
      documents.
    whenToUse: For documents
    description: Short
    customInstructions: |
      One.
      Two.
    groups:
      - read
      - - edit
        - fileRegex: \\.(md|mdx)$
          description: Markdown
      - command:
    source: project
  - slug: review
    name: Review
    roleDefinition: You review.
    description: Reviews
    groups:
      - edit: { fileRegex: "^review/" }
`)
    expect(findings).toEqual([])
    expect(custom).toEqual([
      {
        slug: "docs",
        name: "📝 Dokumente",
        role: "You write documents.",
        whenToUse: "For documents",
        groups: [{ group: "read" }, { group: "edit", fileRegex: "\\.(md|mdx)$", description: "Markdown" }, { group: "command" }],
        instructions: "One.\nTwo.",
      },
      {
        slug: "review",
        name: "Review",
        role: "You review.",
        whenToUse: "Reviews",
        groups: [{ group: "edit", fileRegex: "^review/" }],
      },
    ])
  })

  it("S43: a JSON file, with comments, a trailing comma and tabs", async () => {
    const { custom, findings } = await roomodes(`// our modes
{
\t"customModes": [
\t\t{
\t\t\t"slug": "docs", /* short */
\t\t\t"name": "Docs “and” more",
\t\t\t"roleDefinition": "You write.",
\t\t\t"groups": ["read", ["edit", { "fileRegex": "\\\\.md$", "description": "Markdown" }]],
\t\t},
\t],
}`)
    expect(findings).toEqual([])
    expect(custom).toMatchObject([
      { slug: "docs", name: "Docs “and” more", groups: [{ group: "read" }, { fileRegex: "\\.md$" }] },
    ])
  })

  it("byte order mark, CRLF, no-break spaces and invisible characters do no harm; joined emoji stay whole", async () => {
    const text =
      `\uFEFF${GOOD.replaceAll("\n", "\r\n").replaceAll("    ", "\u00A0\u00A0  ").replace("slug", "\u200Bslug")}`.replace(
        "📝",
        "👩‍💻",
      )
    const { custom, findings } = await roomodes(text)
    expect(findings).toEqual([])
    expect(custom).toMatchObject([{ slug: "docs", name: "👩‍💻 Docs" }])
  })

  it("curly quotes and long dashes from a web page are read as meant", async () => {
    const { custom, findings } = await roomodes(
      "{ “customModes”: [ { “slug”: “my–docs”, “name”: “Docs”, “roleDefinition”: “You write.”, “groups”: [“read”] } ] }",
    )
    expect(findings).toEqual([])
    expect(custom).toMatchObject([{ slug: "my-docs", name: "Docs" }])
  })

  it("anchors and merged mappings work", async () => {
    const { custom, findings } = await roomodes(`
base: &base
  roleDefinition: You work.
  groups: [read]
customModes:
  - { slug: one, name: One, <<: *base }
  - { slug: two, name: Two, <<: *base }
`)
    expect(findings).toEqual([])
    expect(custom.map(({ slug }) => slug)).toEqual(["one", "two"])
  })

  it("a mode exported with its rules loads, and what is not read of it is said", async () => {
    const { custom, lines } = await roomodes(
      `${GOOD}    rulesFiles:\n      - relativePath: rules-docs/a.md\n        content: Be brief.\n`,
    )
    expect(custom).toMatchObject([{ slug: "docs" }])
    expect(lines).toEqual(['.roomodes:7 mode "docs": its bundled rulesFiles are not read; unpack them into .roo/rules-<slug>/'])
  })
})

describe("broken modes", () => {
  it("one invalid mode gives one finding with its line, and the others load", async () => {
    const { custom, lines } = await roomodes(`customModes:
  - slug: one
    name: One
    roleDefinition: You are one.
    groups: [read]
  - slug: two words
    name: Two
    groups: [read]
  - slug: three
    name: Three
    roleDefinition: You are three.
    groups:
      - [edit, { fileRegex: "(" }]
  - just text
  - slug: four
    name: Four
    roleDefinition: You are four.
    groups: [read, teleport, mcp]
`)
    expect(custom.map(({ slug, groups }) => `${slug}: ${groups.map(({ group }) => group)}`)).toEqual([
      "one: read",
      "four: read,mcp",
    ])
    expect(lines).toEqual([
      '.roomodes:6 mode "two words" is left out: slug may have letters, digits and hyphens only; roleDefinition is missing',
      expect.stringMatching(/^\.roomodes:13 mode "three" is left out: fileRegex of group "edit" is no regular expression/),
      ".roomodes:14 a mode is left out: is not a mapping with slug, name and roleDefinition",
      '.roomodes:18 mode "four": there is no group "teleport"; the groups are read, edit, command, browser, mcp, modes',
    ])
  })

  it("the same in JSON", async () => {
    const { custom, lines } = await roomodes(`{
  "customModes": [
    { "slug": "one", "name": "One", "roleDefinition": "You.", "groups": [] },
    {
      "slug": "two",
      "name": "",
      "roleDefinition": "You.",
      "groups": []
    }
  ]
}`)
    expect(custom.map(({ slug }) => slug)).toEqual(["one"])
    expect(lines).toEqual(['.roomodes:6 mode "two" is left out: name is missing'])
  })

  it("of two with one slug the first counts", async () => {
    const { custom, lines } = await roomodes(`${GOOD}${GOOD.replace("customModes:\n", "").replace("You write", "You read")}`)
    expect(custom).toMatchObject([{ slug: "docs", role: "You write documents." }])
    expect(lines).toEqual(['.roomodes:6 mode "docs" is left out: the same file defines it already'])
  })

  it.each([
    ["customModes:\n  - slug: a\n   name: b\n", 3, "not YAML"],
    ["customModes:\n\t- slug: a\n", 2, "not YAML"],
    ['customModes:\n  - slug: "a\n    name: b\n', 4, "not YAML"],
    ['{\n  "customModes": [\n    { "slug": "a" "name": "b" }\n  ]\n}', 3, "not JSON: comma expected"],
    ["{", 1, "not JSON"],
    ["just words", 1, "no list of customModes"],
    ["customModes: none\n", 1, "customModes is not a list"],
    ["a: &a [*a, *a]\ncustomModes: *b\n", 1, "not YAML"],
  ])("a file that cannot be read is one finding with its line: %j", async (text, line, reason) => {
    const { modes, findings } = await roomodes(text)
    expect(modes).toEqual(builtInModes)
    expect(findings).toEqual([{ file: ".roomodes", line, reason: expect.stringContaining(reason) }])
    expect(findings[0]?.reason).not.toContain("\n")
  })

  it.each(["[", "{a: ", "- ", '{"customModes":['])("%j without end is one finding", async (text) => {
    const { modes, findings } = await roomodes(text.repeat(20_000))
    expect(modes).toEqual(builtInModes)
    expect(findings).toHaveLength(1)
  })

  it("aliases that would grow without end are one finding", async () => {
    const levels = Array.from({ length: 12 }, (_, level) => `l${level}: &l${level} [${`*l${level - 1}, `.repeat(9)}]`).slice(1)
    const { modes, findings } = await roomodes(`l0: &l0 [x]\n${levels.join("\n")}\ncustomModes: []\n`)
    expect(modes).toEqual(builtInModes)
    expect(findings).toHaveLength(1)
  })

  it.each(["", "  \n", "# only a comment\n", "customModes:\n", "customModes: []\n", "{}", "other: 1\n"])(
    "%j has no modes and nothing wrong",
    async (text) => {
      const { modes, findings } = await roomodes(text)
      expect(modes).toEqual(builtInModes)
      expect(findings).toEqual([])
    },
  )
})

describe("Markdown modes", () => {
  it("S43: head and body of .joey/modes/*.md", async () => {
    const { custom, findings } = await load({
      work: {
        ".joey/modes/Über uns.md": "---\ngroups: [read]\nwhenToUse: Now\n---\nYou write.\n",
        ".joey/modes/tester.md":
          "---\r\nname: Tester\r\nslug: test\r\ndescription: Tests\r\ngroups:\r\n  - read\r\n  - [edit, {fileRegex: test}]\r\ncustomInstructions: Be quick.\r\n---\r\n\r\nYou test.\r\nAlways.\r\n",
        ".joey/modes/README.md": "Our modes.",
        ".joey/modes/notes.txt": "no",
      },
    })
    expect(findings).toEqual([])
    expect(custom).toEqual([
      {
        slug: "test",
        name: "Tester",
        role: "You test.\nAlways.",
        whenToUse: "Tests",
        groups: [{ group: "read" }, { group: "edit", fileRegex: "test" }],
        instructions: "Be quick.",
      },
      { slug: "uber-uns", name: "Über uns", role: "You write.", whenToUse: "Now", groups: [{ group: "read" }] },
    ])
  })

  it("S43: agents of .claude/agents/*.md, their tools as groups", async () => {
    const { custom, lines } = await load({
      work: {
        ".claude/agents/reviewer.md":
          "---\nname: code-reviewer\ndescription: Use when: code is ready. Examples: <example>user: look</example>\ntools: Read, Grep, Bash\nmodel: sonnet\n---\nYou review code.",
        ".claude/agents/all.md": "---\nname: All Rounder\ndescription: Anything\n---\nYou do.",
        ".claude/agents/limited.md": "---\nname: limited\ntools: Read, Bash(git log:*)\n---\nYou look.",
        ".claude/agents/how-to.md": "# How to write an agent\n",
      },
    })
    expect(custom.map(({ slug, groups }) => `${slug}: ${groups.map(({ group }) => group)}`)).toEqual([
      "all-rounder: read,edit,command,browser,mcp",
      "limited: read",
      "code-reviewer: read,command",
    ])
    expect(findMode(custom, "code-reviewer")).toMatchObject({
      role: "You review code.",
      whenToUse: "Use when: code is ready. Examples: <example>user: look</example>",
    })
    expect(lines).toEqual([expect.stringMatching(/^\.claude\/agents\/limited\.md:3 mode "limited": Bash\(git log:\*\) limits/)])
  })

  it("each broken one gives one finding with its line", async () => {
    const { custom, lines } = await load({
      work: {
        ".joey/modes/a.md": "---\nname: A\ngroups: [read\n---\nYou.",
        ".joey/modes/b.md": "---\nname: B\n---\nYou.",
        ".joey/modes/c.md": "---\nname: C\ngroups: []\n---\n",
        ".joey/modes/d.md": "---\nname: D\ngroups: read\nYou.",
        ".joey/modes/e.md": { to: "gone.md" },
        ".joey/modes/f.md": "---\nname: F\ngroups: read\n---\nYou.",
      },
    })
    expect(custom.map(({ slug }) => slug)).toEqual(["f"])
    expect(lines).toEqual([
      expect.stringMatching(/^\.joey\/modes\/a\.md:3 /),
      '.joey/modes/b.md:1 mode "b" is left out: groups is missing; write `groups: []` for none',
      '.joey/modes/c.md:1 mode "c" is left out: roleDefinition is missing',
      ".joey/modes/d.md:1 the head that begins with --- is never closed by another ---",
      ".joey/modes/e.md:undefined is a link that leads nowhere",
    ])
  })
})

describe("precedence", () => {
  const named = (slug: string, role: string) => `customModes: [{ slug: ${slug}, name: N, roleDefinition: ${role}, groups: [] }]`

  it("S43: project over global over built-in, the whole mode", async () => {
    const { modes, findings } = await load({
      home: {
        ".roo/custom_modes.yaml": named("code", "roo-home"),
        ".joey/modes/ask.md": "---\ngroups: []\n---\nask-home",
        ".joey/custom_modes.yaml": named("mine", "mine-home"),
      },
      work: { ".roomodes": named("code", "project") },
    })
    expect(findings).toEqual([])
    expect(modes.map(({ slug }) => slug)).toEqual(["code", "architect", "ask", "debug", "orchestrator", "mine"])
    expect(findMode(modes, "code")).toEqual({ slug: "code", name: "N", role: "project", groups: [] })
    expect(findMode(modes, "ask")?.role).toBe("ask-home")
  })

  it("within a project Joey's own file counts, and the other is named", async () => {
    const { custom, lines } = await load({
      work: { ".roomodes": named("docs", "roo"), ".joey/modes/docs.md": "---\ngroups: []\n---\njoey" },
    })
    expect(custom).toMatchObject([{ role: "joey" }])
    expect(lines).toEqual(['.roomodes:1 mode "docs" is left out: .joey/modes/docs.md defines it already'])
  })
})

describe("customModePrompts", () => {
  it("S48: override a built-in mode field by field; blank ones and custom modes stay", () => {
    const custom = { slug: "docs", name: "Docs", role: "You write.", groups: [] }
    const replaced = { slug: "ask", name: "Ask", role: "Ours.", groups: [] }
    const [code] = builtInModes
    if (!code) throw new Error("no code mode")
    const modes = applyModePrompts([code, replaced, custom], {
      code: { roleDefinition: " You are mine. ", whenToUse: " ", customInstructions: "Be brief." },
      ask: { roleDefinition: "Not used." },
      docs: { roleDefinition: "Not used." },
      toString: { roleDefinition: "Not used." },
    })
    expect(modes).toEqual([{ ...code, role: "You are mine.", instructions: "Be brief." }, replaced, custom])
  })
})
