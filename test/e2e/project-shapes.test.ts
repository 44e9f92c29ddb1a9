/** The shapes in which people really keep their rules, modes and skills: all of them at once, and each broken one is one line. */
import { beforeAll, describe, expect, it } from "vitest"
import * as shapes from "../fixtures/roo-project.ts"
import { type Finished, place } from "./joey.ts"

async function show(fixture: shapes.Fixture, args: string[]): Promise<Finished & { lines: string[] }> {
  const here = place()
  shapes.writeFixture(here.workspace, fixture)
  const finished = await here.run(args, { env: { HOME: here.home, LC_ALL: "C" } })
  return { ...finished, lines: finished.stderr.split("\n").filter((line) => line !== "") }
}

const everything = { ...shapes.rules, ...shapes.beside, ".roomodes": shapes.yamlModes }

describe("a project with every shape of rules, modes, skills and commands", () => {
  let prompt: Finished & { lines: string[] }
  let rules: Finished & { lines: string[] }
  beforeAll(async () => {
    ;[prompt, rules] = await Promise.all([show(everything, ["prompt"]), show(everything, ["rules"])])
  })
  /** The lines about one file, without its name. */
  const said = (file: string) => prompt.lines.filter((line) => line.includes(` ${file}`))

  it("S46: nested rules are read, in the order of their names", () => {
    expect(prompt.stdout).toMatch(/RULE-PLAIN[\s\S]*RULE-NESTED[\s\S]*RULE-BOM/)
  })

  it("S46: a byte order mark and CRLF are taken off", () => {
    expect(prompt.stdout).toMatch(/\nRULE-BOM\n/)
    expect(prompt.stdout).toContain("RULE-CRLF-1\nRULE-CRLF-2")
    expect(prompt.stdout).not.toMatch(/\uFEFF|\r/)
  })

  it("S46: emoji and names in any script pass, in the name and in the text", () => {
    expect(prompt.stdout).toMatch(/### \.roo\/rules\/05-größe 📏 規則\.md\n```\nRULE-NAME 🎉 ß 規/)
  })

  it("S46: symlinked rules are read under their own names, files and folders", () => {
    expect(prompt.stdout).toMatch(/06-linked\.md\n```\nRULE-LINKED\n/)
    expect(prompt.stdout).toMatch(/07-linked-folder\/seven\.md\n```\nRULE-LINKED-FOLDER/)
  })

  it("S46: AGENTS.md as a symlink is read", () => expect(prompt.stdout).toMatch(/### AGENTS\.md\n```\nAGENTS-LINKED/))

  it("S46: circular links end; one that leads nowhere or to itself is one line", () => {
    expect(rules.stdout).toMatch(/08-circle: it leads to a folder that is read already/)
    expect(said(".roo/rules/09-dangling.md")).toEqual(["joey: .roo/rules/09-dangling.md: is a link that leads nowhere"])
    expect(said(".roo/rules/10-self.md")).toEqual(["joey: .roo/rules/10-self.md: is a link that leads back to itself"])
  })

  it("S46: a rule file of 300 KB is cut, and both the model and the person are told", () => {
    expect(prompt.stdout).toMatch(
      /11-huge\.md \(cut for its size: the first \d+ of 307200 bytes; look into the file for the rest\)/,
    )
    expect(rules.stdout).toMatch(/11-huge\.md \(cut to \d+ of 307200 bytes: maxRuleBytes\)/)
    expect(prompt.stdout).toContain("RULE-HUGE")
  })

  it("S46: a rule file that is no text is one line", () => {
    expect(said(".roo/rules/12-binary.md")).toEqual([expect.stringMatching(/12-binary\.md: is not text that can be read/)])
    expect(prompt.stdout).not.toMatch(/not text$/m)
  })

  it("S43: groups as tuples and as mappings mean the same, and a name may have emoji", async () => {
    expect(prompt.stdout).toMatch(
      /^- tuples: You are tuples\.$\n^- mappings: You are mappings\.$\n^- emoji: Du gestaltest 🎨\.$/m,
    )
    const shown = await Promise.all(["tuples", "mappings"].map((slug) => show(everything, ["prompt", "--mode", slug])))
    for (const { stdout } of shown) expect(stdout).toMatch(/edit files only where the path matches `\\\.md\$`/)
  })

  it("S43: an unknown group is left out alone, with its line", () => {
    const line = shapes.yamlModes.split("\n").findIndex((text) => text.includes("telepathy")) + 1
    expect(said(".roomodes")).toContainEqual(
      expect.stringMatching(new RegExp(`^joey: \\.roomodes:${line}: mode "unknown-group": there is no group "telepathy"`)),
    )
    expect(prompt.stdout).toMatch(/^- unknown-group: /m)
  })

  it("S43: of duplicate slugs the first counts, with a line for the other", () => {
    expect(said(".roomodes")).toContainEqual(
      expect.stringMatching(/:\d+: mode "tuples" is left out: the same file defines it already/),
    )
  })

  it("S43: a mode exported with rulesFiles loads, and what is not read of it is said", () => {
    expect(said(".roomodes")).toContainEqual(expect.stringMatching(/:\d+: mode "exported": its bundled rulesFiles are not read/))
    expect(prompt.stdout).toMatch(/^- exported: /m)
  })

  it("S43: one invalid mode is one line, and those behind it load", () => {
    expect(said(".roomodes")).toContainEqual(expect.stringMatching(/:\d+: mode "not a slug" is left out/))
    expect(prompt.stdout).toMatch(/^- last: /m)
    expect(said(".roomodes")).toHaveLength(4)
  })

  it("S36 S43: broken skills, commands and mode files are one line each, and their neighbours load", () => {
    expect(prompt.stdout).toContain("SKILL-GOOD")
    expect(prompt.stdout).toMatch(/^- markdown: /m)
    expect(prompt.stdout).toMatch(/^- reviewer: Reviews$/m)
    const files = [
      ".roo/skills/tabbed/SKILL.md:",
      ".roo/skills/silent/SKILL.md:",
      ".roo/commands/empty.md:",
      ".joey/modes/broken.md:",
    ]
    for (const file of files) expect(said(file)).toHaveLength(1)
  })

  it("a wrong setting is one line with its line number, and the others hold", () => {
    expect(prompt.lines.filter((line) => line.includes("settings.json"))).toEqual([
      expect.stringMatching(/settings\.json:3: `reminders` is left out: expected /),
    ])
    expect(prompt.stdout).toContain("Language for the person: Deutsch")
  })

  it("nothing else is said, and nothing ends the command", () => {
    expect(prompt.code).toBe(0)
    expect(rules.code).toBe(0)
    expect(prompt.lines).toHaveLength(12)
    expect(rules.lines).toHaveLength(12)
    for (const line of prompt.lines) expect(line).toMatch(/^joey: \S+: /)
  })
})

it("S43: .roomodes as JSON with comments, a trailing comma and a byte order mark", async () => {
  const { code, stdout, stderr } = await show({ ".roomodes": shapes.jsonModes }, ["prompt", "--mode", "commented"])
  expect(code).toBe(0)
  expect(stderr).toBe("")
  expect(stdout).toContain("You comment.")
})

it.each(Object.entries(shapes.brokenModes))(
  "S43: %s in .roomodes is one line with its number, and all else goes on",
  async (_, { text, said }) => {
    const { code, stdout, lines } = await show({ ".roomodes": text, "AGENTS.md": "Be kind." }, ["prompt"])
    expect(code).toBe(0)
    expect(lines).toEqual([expect.stringMatching(said)])
    expect(stdout).toContain("Be kind.")
    expect(stdout).toMatch(/^- architect: /m)
  },
)
