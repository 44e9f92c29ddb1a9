/** Whether something changed since it was read. */
import { rm, utimes } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openDisk } from "./disk.ts"
import { loadRules } from "./rules.ts"
import { loadSkills } from "./skills.ts"
import { changedSince } from "./snapshot.ts"
import { testFolder, write } from "./test-folder.ts"

const RULES = { mode: "code", useAgentRules: true, enableSubfolderRules: false, maxBytes: 10_000 }
const SKILL = "---\nname: a\ndescription: A\n---\n"

async function loaded() {
  const places = await testFolder({
    work: { "AGENTS.md": "a", ".roo/rules/a.md": "a", ".roo/rules/link.md": { to: "a.md" }, ".roo/skills/a/SKILL.md": SKILL },
  })
  for (const folder of ["rules", "skills"]) await utimes(join(places.workspace, ".roo", folder), 1, 1) // disks count time in steps
  const disk = openDisk(places)
  await Promise.all([loadRules({ ...RULES, ...places, disk }), loadSkills({ ...places, mode: "code", disk })])
  return { ...places, disk, changed: () => changedSince(disk.seen).map((path) => disk.nameOf(path)) }
}

describe("changes", () => {
  it("S50: nothing changed is nothing found", async () => {
    const { changed } = await loaded()
    expect(changed()).toEqual([])
  })

  it.each([
    ["AGENTS.md", "AGENTS.md"],
    [".roo/rules/a.md", ".roo/rules/a.md"],
    [".roo/skills/a/SKILL.md", ".roo/skills/a/SKILL.md"],
  ])("S50: another size of %s is a change", async (file, found) => {
    const { workspace, changed } = await loaded()
    await write(workspace, { [file]: `${SKILL}more` })
    expect(changed()).toContain(found)
  })

  it("S50: another time of the same size is a change", async () => {
    const { workspace, changed } = await loaded()
    await utimes(join(workspace, "AGENTS.md"), 1, 1)
    expect(changed()).toEqual(["AGENTS.md"])
  })

  it("S50: what appears where there was nothing, or disappears, is a change", async () => {
    const { workspace, changed } = await loaded()
    await write(workspace, { "CLAUDE.md": "new" })
    expect(changed()).toEqual(["CLAUDE.md"])
    await rm(join(workspace, ".roo/rules"), { recursive: true })
    expect(changed()).toContain(".roo/rules/a.md")
  })

  it("S50: a new file in a rules folder and a new skill are changes of their folders", async () => {
    const { workspace, changed } = await loaded()
    await write(workspace, { ".roo/rules/b.md": "b", ".roo/skills/b/SKILL.md": SKILL, ".roo/rules-code/c.md": "c" })
    expect(changed().toSorted()).toEqual([".roo/rules", ".roo/rules-code", ".roo/skills"])
  })

  it("S50: a target of a link that changes is a change", async () => {
    const { workspace, changed } = await loaded()
    await write(workspace, { ".roo/rules/a.md": "longer" })
    expect(changed()).toContain(".roo/rules/link.md")
  })
})
