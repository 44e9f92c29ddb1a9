/** What a command would make or destroy: delete, move away, overwrite, or change the rights of, and where. */

import { startPoints } from "./command-operands.ts"
import type { SimpleCommand, Word } from "./shell/line.ts"
import { baseName } from "./shell/unwrap.ts"

export interface Destruction {
  /** In words, for example "deletes". */
  what: string
  targets: readonly Word[]
  /** Grave whatever the targets are. */
  always?: boolean
  /** It is aimed only at some of what lies there, so that a whole folder as its target is not the worst case. */
  filtered?: boolean
}

const DEVICES =
  /^(?:mkfs(?:\..*)?|mke2fs|fdisk|sfdisk|gdisk|sgdisk|parted|wipefs|mkswap|blkdiscard|diskutil|cryptsetup|lvremove|vgremove|zpool|dropdb)$/
const HERE: Word = { text: ".", value: ".", glob: false, tilde: false }

export function destructionOf(command: SimpleCommand): Destruction | undefined {
  const name = baseName(command.argv[0]) ?? ""
  if (DEVICES.test(name)) return { what: `runs ${name}, which erases`, targets: [], always: true }
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
  const found = kind?.(command)
  if (!found) return undefined
  const placeholder = command.via.includes("find -exec")
  return { ...found, targets: found.targets.filter((word) => !(placeholder && word.text === "{}")) }
}

type Kind = (command: SimpleCommand) => Destruction | undefined

const deletes: Kind = (command) => ({ what: "deletes", targets: operands(command) })
const rights: Kind = (command) =>
  hasShort(command, "R") || command.argv.includes("--recursive")
    ? { what: "changes the rights of everything in", targets: operands(command).slice(1) }
    : undefined
const copies: Kind = (command) => ({ what: "overwrites", targets: destination(command) })

const KINDS: Record<string, Kind> = {
  rm: deletes,
  rmdir: deletes,
  unlink: deletes,
  shred: deletes,
  srm: deletes,
  trash: deletes,
  mv: (command) => ({ what: "moves", targets: [...operands(command), ...targetOption(command)] }),
  cp: copies,
  install: copies,
  ln: (command) => ({ what: hasShort(command, "f") ? "overwrites" : "makes", targets: destination(command) }),
  touch: (command) => ({ what: "makes", targets: operands(command, /^-[a-z]*[drt]$|^--(?:date|reference|time)$/) }),
  mkdir: (command) => ({ what: "makes", targets: operands(command, /^(?:-m|--mode)$/) }),
  tee: (command) => ({ what: "overwrites", targets: operands(command) }),
  truncate: (command) => ({ what: "empties", targets: operands(command, /^(?:-s|-r|--size|--reference)$/) }),
  dd: (command) => ({ what: "overwrites", targets: command.words.filter(({ text }) => /^of=/.test(text)).map(behindEquals) }),
  chmod: rights,
  chown: rights,
  chgrp: rights,
  rsync: (command) => ({
    what: deletesToo(command) ? "deletes in" : "overwrites",
    targets: destination(command).filter(isLocal),
  }),
  sed: (command) =>
    hasShort(command, "i") || hasLong(command, "--in-place")
      ? { what: "overwrites", targets: operands(command).slice(1) }
      : undefined,
  find: findDestroys,
  git: gitDestroys,
}

function operands({ words }: SimpleCommand, withValue?: RegExp): Word[] {
  const found: Word[] = []
  let literal = false
  for (const [at, word] of words.entries()) {
    if (at === 0) continue
    if (word.value === "--" && !literal) literal = true
    else if (!literal && word.value?.startsWith("-") && word.value !== "-") continue
    else if (!literal && withValue?.test(words[at - 1]?.value ?? "")) continue
    else found.push(word)
  }
  return found
}

function destination(command: SimpleCommand): Word[] {
  const named = targetOption(command)
  return named.length > 0 ? named : operands(command).slice(-1)
}

function targetOption({ words }: SimpleCommand): Word[] {
  return words.flatMap((word, at) => {
    if (/^(?:-t|--target-directory)$/.test(words[at - 1]?.value ?? "")) return [word]
    const attached = /^(?:--target-directory=|-t)(.+)$/.exec(word.value ?? "")?.[1]
    return attached === undefined ? [] : [{ ...word, value: attached }]
  })
}

function behindEquals(word: Word): Word {
  const value = word.value?.slice(word.value.indexOf("=") + 1)
  return { ...word, value, tilde: value?.startsWith("~") ?? false }
}

function isLocal({ value }: Word): boolean {
  return value === undefined || !/^[^/]*:/.test(value)
}

function deletesToo({ argv }: SimpleCommand): boolean {
  return argv.some((word) => word?.startsWith("--del"))
}

function findDestroys(command: SimpleCommand): Destruction | undefined {
  const { argv, words } = command
  const runs = argv.findIndex((word) => /^-(?:exec|execdir)$/.test(word ?? ""))
  const program = runs < 0 ? "" : (baseName(argv[runs + 1]) ?? "")
  if (!argv.includes("-delete") && !/^(?:rm|rmdir|unlink|shred|mv|truncate)$/.test(program)) return undefined
  const points = startPoints(argv).flatMap((at) => words[at] ?? [])
  const filtered = argv.some(
    (word, at) => /^-i?(?:name|path|regex|wholename)$/.test(word ?? "") && !/^[*./]*$/.test(argv[at + 1] ?? ""),
  )
  return { what: "deletes in", targets: points.length > 0 ? points : [HERE], filtered }
}

/** What git ignores is mostly what nobody can bring back: local settings, data, keys. */
function gitDestroys(command: SimpleCommand): Destruction | undefined {
  const { argv } = command
  if (!argv.includes("clean")) return undefined
  const forced = hasShort(command, "f") || hasLong(command, "--force")
  const ignored = hasShort(command, "x") || hasShort(command, "X")
  return forced && ignored
    ? { what: "deletes all that git ignores, and untracked files, in", targets: [HERE], always: true }
    : undefined
}

function hasShort({ argv }: SimpleCommand, letter: string): boolean {
  return argv.some((word) => word !== undefined && /^-[A-Za-z]/.test(word) && word.includes(letter))
}

function hasLong({ argv }: SimpleCommand, option: string): boolean {
  return argv.some((word) => word !== undefined && word.length > 3 && option.startsWith(word.replace(/=.*/s, "")))
}

/** Signs of destruction in a text that could not be read. */
export function looksDestructive(text: string): boolean {
  const plain = text.replace(/["'\\]/g, "")
  return /\brm\s+(?:-\S+\s+)*-\w*[rR]|--recursive|\bfind\b.*-delete|\bshred\b|\bmkfs|\bdd\b.*\bof=|\brsync\b.*--del|\bch(?:mod|own)\b.*-\w*R|rmtree|rmSync|rm_rf|RemoveAll|>\s*\/dev\/[sh]d|\bwipefs\b/s.test(
    plain,
  )
}
