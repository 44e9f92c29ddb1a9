import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "../host/temporary-folder.ts"
import { GRAMMAR_NAMES, grammarOf } from "./languages.ts"
import { type SymbolReader, symbolReader } from "./symbols.ts"

const SAMPLES: Record<string, [string, string[]]> = {
  "a.js": [
    "function f() {}\nclass A { m() {} }\nconst g = () => {}\nres.cookie = function () {}\nmodule.exports = { h: function () {} }",
    ["function f", "class A", "method m", "function g", "function cookie", "method h"],
  ],
  "a.ts": [
    "interface I {}\ntype T = 1\nenum E { a }\nabstract class B { x = () => {} }\nexport function f(): void {}",
    ["interface I", "type T", "enum E", "class B", "method x", "function f"],
  ],
  "a.tsx": ["export const View = () => <div />", ["function View"]],
  "a.py": ["class A:\n  def m(self):\n    pass\nasync def f(): pass", ["class A", "function m", "function f"]],
  "a.go": ["package a\nfunc F() {}\nfunc (s *S) M() {}\ntype S struct {}", ["function F", "method M", "type S"]],
  "a.java": [
    "class A { A() {} void m() {} }\ninterface I {}\nenum E { X }",
    ["class A", "method A", "method m", "interface I", "enum E"],
  ],
  "a.rs": [
    "struct S;\nimpl S { fn m(&self) {} }\ntrait T {}\nmod x {}",
    ["struct S", "impl S", "function m", "trait T", "module x"],
  ],
  "a.php": ["<?php function f() {} class A { function m() {} }", ["function f", "class A", "method m"]],
  "a.rb": [
    "module M\n  class A\n    def m; end\n    def self.s; end\n  end\nend",
    ["module M", "class A", "method m", "method s"],
  ],
  "a.cpp": [
    "namespace n { class A { void m() {} }; }\nint f(int x) { return x; }\nchar *g() { return 0; }\nint A::h() { return 1; }",
    ["namespace n", "class A", "function m", "function f", "function g", "function A::h"],
  ],
  "a.cs": [
    "class A { A() {} void M() {} int P { get; } }\ninterface I {}",
    ["class A", "method A", "method M", "property P", "interface I"],
  ],
  "a.sh": ["f() { echo; }\nfunction g { echo; }", ["function f", "function g"]],
}

const readers: SymbolReader[] = []
function opened(...args: Parameters<typeof symbolReader>): SymbolReader {
  const reader = symbolReader(...args)
  readers.push(reader)
  return reader
}
afterAll(async () => {
  for (const reader of readers) await reader.close()
})

describe("symbols", () => {
  const reader = opened()

  it("has a sample for every grammar", () => {
    expect(new Set(Object.keys(SAMPLES).map((path) => grammarOf(path)?.name))).toEqual(new Set(GRAMMAR_NAMES))
  })

  it.each(Object.entries(SAMPLES))("S30: are read out of %s", async (path, [text, expected]) => {
    const symbols = await reader.read(path, text)
    expect(symbols).toBeInstanceOf(Array)
    const found = Array.isArray(symbols) ? symbols.map(({ kind, name }) => `${kind} ${name}`) : []
    expect(expected.filter((symbol) => !found.includes(symbol))).toEqual([])
  })

  it("are there for broken texts too, and none for texts nobody has a grammar for", async () => {
    const broken = await reader.read("a.ts", "function ok() {}\nclass { ((( `")
    expect(broken).toContainEqual({ kind: "function", name: "ok", first: 0, last: 0 })
    expect(await reader.read("a.tcl", "proc x {} {}")).toBeUndefined()
    expect(await reader.read("a.ts", "x".repeat(500_000))).toBeUndefined()
  })

  it("come in order, whatever language comes first", async () => {
    const fresh = opened()
    const texts = Object.entries(SAMPLES).map(([path, [text]]) => fresh.read(path, text))
    expect((await Promise.all(texts)).every(Array.isArray)).toBe(true)
  })

  it("of a text that nests without end come, or fail, but do not take the process with them", async () => {
    const fresh = opened(undefined, 1500)
    await fresh.read("a.js", "")
    await fresh.read("deep.js", "(".repeat(200_000))
    expect(await fresh.read("a.js", "function f() {}")).toHaveLength(1)
  })

  it("of a text that hangs its reader fail, and all others are read", async () => {
    const folder = await temporaryFolder()
    const file = join(folder, "thread.mjs")
    const work =
      "text === 'hang' ? (() => { for (;;); })() : text === 'die' ? process.exit(1) : parentPort.postMessage({ id, symbols: [] })"
    writeFileSync(
      file,
      `import { parentPort } from "node:worker_threads"\nparentPort.on("message", ({ id, text }) => { ${work} })`,
    )
    const fresh = opened(pathToFileURL(file), 1500)
    const read = ["one", "hang", "two", "die", "three"].map((text) => fresh.read("a.js", text))
    expect(await Promise.all(read)).toEqual([[], "failed", [], "failed", []])
  })
})
