/** What changes things outside the workspace, or how git works, asks even where everything is allowed. */
import { describe, expect, it } from "vitest"
import { judgeCommand } from "./command-judge.ts"
import { OUTSIDE_LINES } from "./shell/corpus/bypass-outside.ts"
import { ALLOW_ONLY, ports } from "./shell/corpus/rules.ts"

describe("what reaches out of the workspace", () => {
  for (const [name, rules] of [
    ["no rule", []],
    ["rules that allow others", ALLOW_ONLY],
  ] as const) {
    it.each(Object.entries(OUTSIDE_LINES))(`asks whatever is allowed, with ${name}: %s`, async (_, lines) => {
      const found: string[] = []
      for (const line of lines) {
        const { verdict, grave, reason } = await judgeCommand({ line }, rules, ports())
        if (verdict !== "ask" || !grave) found.push(`${JSON.stringify(line)}: ${verdict}, ${reason}`)
      }
      expect(found).toEqual([])
    })
  }

  it.each([
    "touch src/a.ts",
    "mkdir -p -m 755 src/x/y",
    "ln -s a.ts src/b.ts",
    "tar xf a.tar -C src",
    "tar xf a.tar -C /tmp/joey/x",
    "curl -o x https://example.com/a/b",
    "curl -s https://example.com/a -o /dev/null",
    "npm install",
    "cd src && npm install",
    "git fetch origin",
    "git commit -m '/etc: changed'",
    "git config user.name Someone",
    "git config --get core.hooksPath",
    "git config core.editor",
    "git config --list",
    "make -C src",
    "python3 -c 'a=/x/'",
    "gcc -I/usr/include -L/usr/lib a.c -o a",
    "grep $X /etc/hosts",
    "cat /etc/hosts",
    "git -C .. log",
  ])("is not this: %s", async (line) => {
    expect((await judgeCommand({ line }, [], ports())).grave).toBe(false)
  })

  it("tells where it leads", async () => {
    expect((await judgeCommand({ line: "curl -o ../x http://a" }, [], ports())).reason).toBe(
      "it names ../x (/home/person/x), outside the workspace, and may change it",
    )
    expect((await judgeCommand({ line: "cd .. && npm install" }, [], ports())).reason).toBe(
      "it runs in /home/person, which is outside the workspace",
    )
  })

  it("a rule that allows everything does not allow to change what git runs", async () => {
    const everything = [{ decision: "allow", pattern: "*", source: "settings.json" } as const]
    expect(await judgeCommand({ line: "git config core.hooksPath x" }, everything, ports())).toMatchObject({ grave: true })
  })
})
