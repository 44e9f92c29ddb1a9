import { describe, expect, it } from "vitest"
import { memoryHost } from "../host/memory.ts"
import type { JsonObject } from "../types/json.ts"
import { callTool } from "./call-tool.ts"
import { type SkillText, skill } from "./skill.ts"

const release: SkillText = {
  name: "release",
  description: "How to release.",
  folder: ".agents/skills/release",
  body: "\n1. Tag it.\n",
  files: ["scripts/tag.sh", "references/hosts.md"],
}

const load = (args: JsonObject, known: SkillText[] = [release]) => {
  const port = {
    readSkill: async (name: string) => known.find((one) => one.name === name) ?? { available: known.map((one) => one.name) },
  }
  return callTool(skill(port), args, memoryHost({}))
}

describe("skill", () => {
  it("S36: gives the body, the arguments, and the files beside it without reading them", async () => {
    const { say, show } = await load({ skill: "release", args: "1.2.0" })
    expect(say).toBe(`Skill release: How to release.
Arguments: 1.2.0
Its files, to be read when the instructions call for them, lie in .agents/skills/release: scripts/tag.sh, references/hosts.md

<skill_content name="release">
1. Tag it.
</skill_content>`)
    expect(show).toEqual({ kind: "title", text: "Loaded the skill release" })
  })

  it("says nothing of arguments and files where there are none", async () => {
    const { say } = await load({ skill: "release", args: null }, [{ ...release, files: [], body: " " }])
    expect(say).toMatch(/^Skill release: How to release\.\n\n<skill_content name="release">\n\(The skill has no instructions/)
  })

  it("bounds the list of files", async () => {
    const files = Array.from({ length: 500 }, (_, index) => `f${index}`)
    const { say } = await load({ skill: "release" }, [{ ...release, files }])
    expect(say).toMatch(/f99, and 400 more\n/)
  })

  it("an unknown skill is an error that names the near one and those there are", async () => {
    await expect(load({ skill: "releases" })).rejects.toThrow(
      'There is no skill "releases". Did you mean release? There are: release.',
    )
    await expect(load({ skill: "x" }, [])).rejects.toThrow('There is no skill "x", nor any other.')
    await expect(load({})).rejects.toThrow("`skill`")
  })
})
