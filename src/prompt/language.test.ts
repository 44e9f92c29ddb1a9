import { expect, it } from "vitest"
import { languageOf } from "./language.ts"

it("S48: the language is the setting, else the locale, without its encoding", () => {
  expect(languageOf(" Deutsch ", { LANG: "fr_FR.UTF-8" })).toBe("Deutsch")
  expect(languageOf(undefined, { LC_ALL: "pt_BR.UTF-8", LANG: "fr_FR" })).toBe("pt-BR")
  expect(languageOf("", { LANG: "de_DE@euro" })).toBe("de-DE")
})

it("S48: a locale that names no language says nothing", () => {
  for (const LANG of ["", "C", "C.UTF-8", "POSIX", "../x", "de DE"]) expect(languageOf(undefined, { LANG })).toBeUndefined()
  expect(languageOf(undefined, {})).toBeUndefined()
})
