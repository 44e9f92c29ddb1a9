import { describe, expect, it } from "vitest"
import { cleanName, joinName } from "./tool-name.ts"

const TOOLS = new Set(["edit", "edit_file", "edit_existing_file", "read_file", "functions.odd"])
const isKnown = (name: string) => TOOLS.has(name)
const join = (written: string, piece: string, text = "") =>
  joinName({ written, name: cleanName(written, isKnown), received: text.length }, piece, isKnown)

describe("cleanName", () => {
  it.each([
    ["N7: cuts at the first control token", "read_file<|channel|>commentary", "read_file"],
    ["N7: cuts a recipient's format", "functions.read_file <|constrain|>json", "read_file"],
    ["N7: cuts a control token that has only begun", "read_file<", "read_file"],
    ["N7: is empty when there is nothing but control tokens", "<|constrain|>json", ""],
    ["N7: strips the functions namespace", "functions.read_file", "read_file"],
    ["N8: strips default_api with a colon", "default_api:read_file", "read_file"],
    ["N8: strips default_api with a dot", "default_api.read_file", "read_file"],
    ["N8: leaves the prefix when the rest is no known tool", "default_api:fly", "default_api:fly"],
    ["N8: leaves a known tool whose own name looks prefixed", "functions.odd", "functions.odd"],
    ["N9: never turns an unknown name into a near one", "readfile", "readfile"],
    ["N9: keeps an angle bracket that begins no token", "a<b", "a<b"],
    ["trims white space", " read_file\n", "read_file"],
  ])("%s", (_, written, name) => expect(cleanName(written, isKnown)).toBe(name))

  it("cuts a name without end", () => {
    expect(cleanName("x".repeat(5_000_000), isKnown)).toHaveLength(256)
  })
})

describe("joinName", () => {
  it.each([
    ["N1: joins pieces towards a known tool", "edit_ex", "isting_file", "", "edit_existing_file"],
    ["N1: joins pieces of an unknown name before arguments begin", "fl", "y", "", "fly"],
    ["N1: goes on from a known tool to a longer known one", "edit", "_file", "", "edit_file"],
    ["N1: goes on to a known tool even after arguments began", "edit_ex", "isting_file", "{", "edit_existing_file"],
    ["N1: takes a growing snapshot of the name", "edit_ex", "edit_existing_file", "", "edit_existing_file"],
    ["N1: takes a growing snapshot of an unknown name", "fl", "fly", "", "fly"],
    ["N2: takes a repeated name once", "read_file", "read_file", "{", "read_file"],
    ["N2: takes a repeated unknown name once", "fly", "fly", "{", "fly"],
    ["N7: knows a repeated name in another dress", "read_file", "functions.read_file", "{", "read_file"],
    ["N7: takes a control token as part of the name", "read_file", "<|channel|>", "", "read_file<|channel|>"],
    ["N7: takes the rest of a control token too", "read_file<|channel|>", "commentary", "", "read_file<|channel|>commentary"],
    ["N7: takes a control token cut in two", "read_file<", "|channel|>", "", "read_file<|channel|>"],
    ["I6: sees another call in another known name", "read_file", "edit", "{}", undefined],
    ["I6: sees another call in another known name before arguments", "read_file", "edit", "", undefined],
    ["I6: sees another call after a control token", "read_file<|channel|>", "edit", "{}", undefined],
    ["I6: sees another call in a longer known name after arguments", "edit", "edit_file", "{}", undefined],
    ["I6: sees another call in an unknown name after a settled one", "read_file", "fly", "", undefined],
    ["I6: sees another call in an unknown name after arguments", "fly", "swim", "{}", undefined],
  ])("%s", (_, written, piece, text, expected) => expect(join(written, piece, text)).toBe(expected))

  it("stops joining a name without end", () => {
    let written = "x"
    for (let count = 0; count < 10_000; count++) written = join(written, "yz") ?? ""
    expect(written.length).toBeLessThan(300)
  })
})
