/**
 * For tests: arguments and files that are meant to break a tool, and what every tool must do about them: answer in time, with a
 * result or an error in one readable piece, tell nothing from outside the workspace, and change nothing that is not its own.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Host, HostError } from "../types/host.ts"
import type { Json, JsonObject } from "../types/json.ts"
import { type Tool, type ToolContext, ToolError } from "../types/tool.ts"

const SECRET = "words from outside the workspace"
const TEN_MEGABYTES = 10_000_000

export const HOSTILE_PATHS: readonly (readonly [what: string, path: string])[] = [
  ["an empty path", ""],
  ["blanks", "   "],
  ["a NUL byte", "a\0b"],
  ["half a character", "a\ud800b"],
  ["a line end", "a\nb"],
  ["what looks like an option", "--help"],
  ["what looks like an address", "file:///etc/passwd"],
  ["a path that leads out", "../outside/secret.txt"],
  ["a winding path that leads out", "folder/../../outside/secret.txt"],
  ["an absolute path elsewhere", "/etc/passwd"],
  ["a device", "/dev/zero"],
  ["another device", "/dev/stdin"],
  ["a file of the kernel", "/proc/self/environ"],
  ["a pipe that nobody writes to", "pipe"],
  ["a link to itself", "circle"],
  ["a path through a link to itself", "circle/x"],
  ["a link that leads out", "link-out"],
  ["a path through a folder that leads out", "folder-out/secret.txt"],
  ["a link to a device", "link-to-device"],
  ["a link that leads nowhere", "link-nowhere"],
  ["a folder", "folder"],
  ["a path below a file", "text.txt/below"],
  ["bytes that are not UTF-8", "invalid.txt"],
  ["nothing but zeros", "zeros"],
  ["a name of ten megabytes", "x".repeat(TEN_MEGABYTES)],
  ["a hundred thousand folders", "a/".repeat(100_000)],
]

/** For an argument that is to be a string. */
export const WRONG_VALUES: readonly (readonly [what: string, value: Json])[] = [
  ["a number", 7],
  ["a truth", true],
  ["a list", ["a"]],
  ["an object", { a: 1 }],
]

const HOSTILE_TEXTS: readonly (readonly [what: string, text: string])[] = [
  ["ten megabytes", "x".repeat(TEN_MEGABYTES)],
  ["ten megabytes of line ends", "\n".repeat(TEN_MEGABYTES)],
  ["a NUL byte", "a\0b"],
  ["half a character", "\udc00"],
  ["deep brackets", "(".repeat(20_000)],
]

/** Where it takes place: real files, and a host that keeps to the workspace. */
export interface HostileGround {
  folder(files: Record<string, string>): Promise<string>
  host(workspace: string): Host
}

/** A workspace full of traps, beside a folder that is none of its business. */
export async function hostileFolder(ground: HostileGround): Promise<{ workspace: string; outside: string }> {
  const folder = await ground.folder({ "work/text.txt": "one\ntwo\n", "work/folder/": "", "outside/secret.txt": `${SECRET}\n` })
  const workspace = join(folder, "work")
  writeFileSync(join(workspace, "invalid.txt"), Buffer.from([0x61, 0xff, 0xfe, 0xc3, 0x0a]))
  writeFileSync(join(workspace, "zeros"), Buffer.alloc(5000))
  execFileSync("mkfifo", [join(workspace, "pipe")])
  symlinkSync("circle", join(workspace, "circle"))
  symlinkSync("../outside/secret.txt", join(workspace, "link-out"))
  symlinkSync("../outside", join(workspace, "folder-out"))
  symlinkSync("/dev/zero", join(workspace, "link-to-device"))
  symlinkSync("nowhere/at/all", join(workspace, "link-nowhere"))
  mkdirSync(join(workspace, "empty"))
  return { workspace, outside: join(folder, "outside") }
}

export interface HostileInput {
  tool: Tool
  /** Right ones: each is made wrong in turn. */
  args: JsonObject
  /** Those that are paths. */
  paths: readonly string[]
  /** It may change files in the workspace; outside never. */
  writes?: boolean
  /** Arguments that it takes in other forms too, or can do without. */
  accepts?: readonly string[]
}

/** Declares the table of tests for one tool. */
export function describeHostileInput(
  ground: HostileGround,
  { tool, args, paths, writes = false, accepts = [] }: HostileInput,
): void {
  const required = (tool.input.jsonSchema.required ?? []).filter((name) => !accepts.includes(name))
  const texts = Object.keys(args).filter((name) => typeof args[name] === "string" && !paths.includes(name))

  describe(`${tool.name} and hostile input`, () => {
    it.each(required)("S16: misses `%s`", (name) => {
      const { [name]: _, ...rest } = args
      expectProblem(tool, rest, name)
      expectProblem(tool, { ...args, [name]: null }, name)
    })

    it.each(required.flatMap((name) => WRONG_VALUES.map(([what, value]) => [name, what, value] as const)))(
      "S16: refuses `%s` that is %s",
      (name, _, value) => {
        if (typeof args[name] === "string") expectProblem(tool, { ...args, [name]: value }, name)
      },
    )

    it.each(paths.flatMap((name) => HOSTILE_PATHS.map(([what, path]) => [name, what, path] as const)))(
      "survives %s: %s",
      (name, _, path) => withstands(ground, tool, { ...args, [name]: path }, writes),
      10_000,
    )

    it.each(texts.flatMap((name) => HOSTILE_TEXTS.map(([what, text]) => [name, what, text] as const)))(
      "survives %s: %s",
      (name, _, text) => withstands(ground, tool, { ...args, [name]: text }, writes),
      10_000,
    )
  })
}

function expectProblem(tool: Tool, args: JsonObject, name: string): void {
  const checked = tool.input.check(args)
  expect(checked.ok, JSON.stringify(args).slice(0, 200)).toBe(false)
  if (!checked.ok) expect(checked.problems.join("\n")).toContain(name)
}

async function withstands(ground: HostileGround, tool: Tool, args: JsonObject, writes: boolean): Promise<void> {
  const { workspace, outside } = await hostileFolder(ground)
  const before = [writes ? [] : treeOf(workspace), treeOf(outside)]
  const told = await answerOf(tool, args, ground.host(workspace))
  expect(told).not.toContain(SECRET)
  expect(told.length).toBeLessThan(200_000)
  expect([writes ? [] : treeOf(workspace), treeOf(outside)]).toEqual(before)
}

/** What the model would be told. Anything but a result, wrong arguments, a ToolError or a HostError is a defect. */
async function answerOf(tool: Tool, args: JsonObject, host: Host): Promise<string> {
  const context: ToolContext = { host, signal: new AbortController().signal, progress() {}, callKey: "call-1" }
  const checked = tool.input.check(args)
  if (!checked.ok) return checked.problems.join("\n")
  tool.touches?.(checked.value)
  tool.preview?.(args)
  try {
    await tool.plan?.(checked.value, context)
    return JSON.stringify((await tool.run(checked.value, context)).say)
  } catch (error) {
    if (!(error instanceof ToolError || error instanceof HostError)) throw error
    expect(error.message).not.toMatch(/^\s+at .*:\d+:\d+/m)
    expect(error.message.length).toBeGreaterThan(0)
    return error.message
  }
}

/** Names and contents of what can be read without waiting. */
function treeOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).map((entry) => {
    const place = join(entry.parentPath, entry.name)
    return entry.isFile() ? `${place}: ${readFileSync(place).toString("base64")}` : place
  })
}
