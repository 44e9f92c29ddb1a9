/** Skills: where they are found, which of a name counts, and how much is forgiven. */
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { loadSkills, readSkill } from "./skills.ts"
import { type Files, testFolder } from "./test-folder.ts"

const skill = (name: string, description = `About ${name}`) =>
  `---\nname: ${name}\ndescription: ${description}\n---\nBody of ${name}\n`

async function load(files: { work?: Files; home?: Files; root?: Files }, mode = "code") {
  const places = await testFolder(files)
  return { ...places, ...(await loadSkills({ ...places, mode })) }
}

describe("skills", () => {
  it("S36: nothing there is nothing found", async () => {
    expect(await load({})).toMatchObject({ skills: [], byNameOnly: [], findings: [] })
  })

  it("are found in each of the folders, for the project and at home, and stand in the order of their names", async () => {
    const { skills, findings, workspace, home } = await load({
      work: {
        ".agents/skills/a-agents/SKILL.md": skill("a-agents"),
        ".roo/skills/a-roo/SKILL.md": skill("a-roo"),
        ".joey/skills/a-joey/SKILL.md": skill("a-joey"),
        ".claude/skills/a-claude/SKILL.md": skill("a-claude"),
        ".roo/skills-code/a-mode/SKILL.md": skill("a-mode"),
        ".roo/skills-ask/other/SKILL.md": skill("other"),
      },
      home: {
        ".agents/skills/h-agents/SKILL.md": skill("h-agents"),
        ".joey/skills-code/h-mode/SKILL.md": skill("h-mode"),
      },
    })
    expect(findings).toEqual([])
    expect(skills.map(({ name }) => name)).toEqual(["a-agents", "a-claude", "a-joey", "a-mode", "a-roo", "h-agents", "h-mode"])
    expect(skills[3]).toEqual({
      name: "a-mode",
      description: "About a-mode",
      folder: join(workspace, ".roo/skills-code/a-mode"),
      file: join(workspace, ".roo/skills-code/a-mode/SKILL.md"),
      scope: "project",
      modes: ["code"],
    })
    expect(skills[5]).toMatchObject({ scope: "global", file: join(home, ".agents/skills/h-agents/SKILL.md") })
  })

  it("of one name the project's counts before the home's, the mode's before all modes', Joey's before others'", async () => {
    const { skills } = await load({
      home: { ".joey/skills-code/x/SKILL.md": skill("x", "home mode"), ".joey/skills/y/SKILL.md": skill("y", "home") },
      work: {
        ".roo/skills/x/SKILL.md": skill("x", "project generic"),
        ".agents/skills-code/z/SKILL.md": skill("z", "project mode"),
        ".joey/skills/z/SKILL.md": skill("z", "project generic"),
        ".claude/skills/w/SKILL.md": skill("w", "claude"),
        ".roo/skills/w/SKILL.md": skill("w", "roo"),
      },
    })
    expect(skills.map(({ name, description }) => `${name}: ${description}`)).toEqual([
      "w: roo",
      "x: project generic",
      "y: home",
      "z: project mode",
    ])
  })

  it("modeSlugs, or mode, limit a skill to modes", async () => {
    const work = {
      ".roo/skills/a/SKILL.md": "---\nname: a\ndescription: A\nmodeSlugs:\n  - code\n  - ask\n---\n",
      ".roo/skills/b/SKILL.md": "---\nname: b\ndescription: B\nmode: architect\n---\n",
      ".roo/skills-code/c/SKILL.md": "---\nname: c\ndescription: C\nmodeSlugs: [ask]\n---\n",
    }
    expect((await load({ work })).skills.map(({ name, modes }) => `${name} ${modes}`)).toEqual(["a code,ask"])
    expect((await load({ work }, "architect")).skills.map(({ name }) => name)).toEqual(["b"])
  })

  it("deeper folders, links and a shelf that is itself a link work, each once; circles end", async () => {
    const { skills, findings } = await load({
      root: { "shared/linked/SKILL.md": skill("linked") },
      work: {
        ".agents/skills/group/inner/SKILL.md": skill("inner"),
        ".agents/skills/inner-only/SKILL.md": skill("inner-only"),
        ".agents/skills/inner-only/examples/nested/SKILL.md": skill("nested"),
        ".agents/skills/linked": { to: "../../../shared/linked" },
        ".agents/skills/broken/SKILL.md": "no head",
        ".agents/skills/round": { to: "." },
        ".claude/skills": { to: "../.agents/skills" },
        ".claude/x/": "",
      },
    })
    expect(skills.map(({ name }) => name)).toEqual(["inner", "inner-only", "linked"])
    expect(findings).toHaveLength(1)
  })

  it("disable-model-invocation keeps a skill for people", async () => {
    const { skills, byNameOnly } = await load({
      work: { ".claude/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: D\ndisable-model-invocation: true\n---\nGo" },
    })
    expect([skills, byNameOnly.map(({ name }) => name)]).toEqual([[], ["deploy"]])
  })
})

describe("leniency", () => {
  it("a bad name is told and loaded; a missing one is the folder's", async () => {
    const { skills, findings } = await load({
      work: {
        ".roo/skills/one/SKILL.md": skill("My Skill!"),
        ".roo/skills/two/SKILL.md": skill("zwei"),
        ".roo/skills/three/SKILL.md": "---\ndescription: Three\n---\n",
        ".roo/skills/日本/SKILL.md": skill("日本"),
      },
    })
    expect(skills.map(({ name }) => name)).toEqual(["my-skill", "three", "zwei", "日本"])
    expect(findings.map(({ file, line, reason }) => `${file}:${line} ${reason}`)).toEqual([
      '.roo/skills/one/SKILL.md:2 name "My Skill!" is not lower-case letters, digits and single hyphens; it is loaded as "my-skill"',
      '.roo/skills/two/SKILL.md:2 name "zwei" differs from the folder\'s, "two"',
      '.roo/skills/日本/SKILL.md:2 name "日本" is not lower-case letters, digits and single hyphens; it is loaded as "日本"',
    ])
  })

  it("without a description, or with a head that cannot be read, it is left out, and the others load", async () => {
    const { skills, findings } = await load({
      work: {
        ".roo/skills/a/SKILL.md": "---\nname: a\n---\nBody",
        ".roo/skills/b/SKILL.md": "---\nname: b\ndescription: [open\n---\nBody",
        ".roo/skills/c/SKILL.md": "Just text",
        ".roo/skills/d/SKILL.md": { to: "gone" },
        ".roo/skills/e/SKILL.md": Buffer.from([0, 1]),
        ".roo/skills/f/SKILL.md": skill("f"),
        ".roo/skills/g/SKILL.md": "---\nname: g\n\tdescription: x\n---\n",
      },
    })
    expect(skills.map(({ name }) => name)).toEqual(["f"])
    expect(findings.map(({ file, line }) => `${file.slice(".roo/skills/".length)}:${line}`)).toEqual([
      "a/SKILL.md:1",
      "b/SKILL.md:3",
      "c/SKILL.md:1",
      "d/SKILL.md:undefined",
      "e/SKILL.md:undefined",
      expect.stringMatching(/^g\/SKILL\.md:\d/),
    ])
  })

  it("a colon in the description, byte order mark and CRLF are read as meant; a long description is cut and told", async () => {
    const { skills, findings } = await load({
      work: {
        ".roo/skills/a/SKILL.md": "\uFEFF---\r\nname: a\r\ndescription: Use when: the user asks, e.g. [x]: y\r\n---\r\nBody",
        ".roo/skills/b/SKILL.md": skill("b", "x".repeat(2000)),
        ".roo/skills/c/SKILL.md": "---\nname: c\ndescription: >\n  Two\n  lines\n---\n",
      },
    })
    expect(skills.map(({ description }) => description.slice(0, 60))).toEqual([
      "Use when: the user asks, e.g. [x]: y",
      "x".repeat(60),
      "Two lines",
    ])
    expect(skills[1]?.description).toHaveLength(1025)
    expect(findings).toEqual([{ file: ".roo/skills/b/SKILL.md", line: 3, reason: "description is cut after 1024 characters" }])
  })
})

describe("reading a skill", () => {
  it("S36: gives its body and names the files beside it", async () => {
    const { skills } = await load({
      work: {
        ".roo/skills/a/SKILL.md": "---\nname: a\ndescription: A\ntags: [x]\n---\n\n# Do\n\nit\n",
        ".roo/skills/a/scripts/run.sh": "",
        ".roo/skills/a/references/deep/notes.md": "",
        ".roo/skills/a/.hidden": "",
      },
    })
    expect(await Promise.all(skills.map((found) => readSkill(found)))).toEqual([
      { body: "# Do\n\nit", files: ["references/deep/notes.md", "scripts/run.sh"] },
    ])
  })

  it("says so when it is gone", async () => {
    const { skills } = await load({ work: { ".roo/skills/a/SKILL.md": skill("a") } })
    const [found] = skills
    if (!found) throw new Error("no skill")
    await rm(found.file)
    expect(await readSkill(found)).toEqual({ problem: "its SKILL.md is gone" })
  })
})
