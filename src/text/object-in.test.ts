import { expect, it } from "vitest"
import { objectIn } from "./object-in.ts"

it("takes an object and nothing else", () => {
  expect(objectIn('{"path":"b"}')).toEqual({ path: "b" })
  for (const text of ["", "{", "[1]", "null", "7", '"{}"']) expect(objectIn(text)).toBeUndefined()
})
