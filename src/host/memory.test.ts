import { expect, it } from "vitest"
import { CONTRACT_RUNS, describeHost, refusal } from "./contract.ts"
import { guardedHost } from "./guarded.ts"
import { memoryHost } from "./memory.ts"

describeHost("The host in memory", async (files) => memoryHost(files, { runs: CONTRACT_RUNS }))

it("shows what was written and what was run", async () => {
  const host = memoryHost({ "a.txt": "old" }, { runs: { "rg --files": { stdout: "a.txt\n" } } })
  await host.writeFile("a.txt", "new")
  await host.run({ program: "rg", args: ["--files"] })
  expect(host.text("a.txt")).toBe("new")
  expect(host.text("b.txt")).toBeUndefined()
  expect(host.ran).toEqual([{ line: "rg --files", cwd: "/workspace" }])
})

it("can be guarded", async () => {
  const host = guardedHost(memoryHost({ "a.txt": "in", "/etc/b.txt": "out" }), { roots: ["/workspace"] })
  expect(await host.readFile("a.txt")).toHaveLength(2)
  await expect(host.readFile("../etc/b.txt")).rejects.toEqual(refusal("outside"))
})
