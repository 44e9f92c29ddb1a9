import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { localHost } from "../host/local.ts"
import { temporaryFolder } from "../host/temporary-folder.ts"
import { locator } from "./locate.ts"

it("S28: says of a path where it really leads, from the workspace or from another folder", async () => {
  const folder = await temporaryFolder({ "work/src/a.ts": "", "other/b": "" })
  const work = join(folder, "work")
  symlinkSync(join(folder, "other"), join(work, "link"))
  symlinkSync("round", join(work, "round"))
  const locate = locator(localHost(work))
  expect(await locate("src/a.ts")).toMatchObject({ relative: "src/a.ts", outside: false })
  expect(await locate("a.ts", "src")).toMatchObject({ relative: "src/a.ts", outside: false })
  expect(await locate("../x/new.ts", "src")).toMatchObject({ relative: "x/new.ts", outside: false })
  expect(await locate(".")).toMatchObject({ relative: "", outside: false })
  expect(await locate("link/b")).toMatchObject({ relative: "", outside: true, real: expect.stringMatching(/other\/b$/) })
  expect(await locate("../..")).toMatchObject({ outside: true })
  expect(await locate("round/x")).toMatchObject({ outside: true })
  mkdirSync(join(work, "..x"))
  expect(await locate("..x")).toMatchObject({ relative: "..x", outside: false })
})
