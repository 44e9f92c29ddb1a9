/** What a command may do to the paths its words and redirections name: read, change, destroy. */
import { foldPath } from "../text/path-forms.ts"
import { destructionOf } from "./command-danger.ts"
import { onlyLooks } from "./command-looking.ts"
import { pathWords, tellsContent } from "./command-operands.ts"
import { ask, type CommandPart, type Judge, type Outcome, worse } from "./command-outcome.ts"
import { HARMLESS_DEVICES } from "./command-outside.ts"
import { folderOf, isScratch, nameOf, placesOf } from "./command-paths.ts"
import type { Redirection, SimpleCommand, Word } from "./shell/line.ts"

/** Whatever a program does with a file of secrets: that it is named at all is for a person to decide. */
export async function namedSecret({ cwd, ports }: Judge, { argv, words, folders }: SimpleCommand): Promise<Outcome | undefined> {
  for (const index of pathWords(argv)) {
    const word = words[index]
    const places = word && (await placesOf(word, folders, cwd, ports))
    const secret = places?.paths.find(({ real }) => ports.isCredential(real))
    if (secret) return { ...ask(`${nameOf(secret)} may hold secrets`), grave: true }
  }
  return undefined
}

export async function judgePath({ cwd, ports }: Judge, command: SimpleCommand, word: Word): Promise<Outcome | undefined> {
  const places = await placesOf(word, command.folders, cwd, ports)
  if (!places) return ask(`where ${word.text} leads cannot be told`)
  if (places.dash !== undefined)
    return ask(`${word.text} stands for a file named ${places.dash}, which would be taken for an option`)
  let asked: Outcome | undefined
  for (const path of places.paths) {
    const name = nameOf(path)
    if (ports.isCredential(path.real)) return { ...ask(`${name} may hold secrets`), grave: true }
    if (path.relative !== "" && ports.isIgnored(path.relative)) {
      const reason = `${name} is kept from the agent by the project's ignore file`
      if (tellsContent(command.argv)) return { verdict: "deny", reason }
      asked ??= ask(reason)
    }
    const read = await ports.judgeRead?.(path)
    if (read?.verdict === "ask" && read.grave) return { ...ask(read.reason), grave: true }
    if (read ? read.verdict === "ask" : path.outside) asked ??= ask(read?.reason ?? `${name} is outside the workspace`)
    if (!onlyLooks(command.argv) && !path.outside && path.relative !== "" && ports.isProtected(path.relative)) {
      asked ??= ask(`${name} steers git or Joey itself`)
    }
  }
  return asked
}

/** What the rules for paths deny stays denied, whatever allows the command itself. */
export async function deniedPath({ cwd, ports }: Judge, command: SimpleCommand): Promise<Outcome | undefined> {
  const { judgeRead, judgeWrite } = ports
  const { words, argv, folders } = command
  if (judgeRead) {
    for (const index of pathWords(argv)) {
      const word = words[index]
      const places = word && (await placesOf(word, folders, cwd, ports))
      for (const path of places?.paths ?? []) {
        const { verdict, reason } = await judgeRead(path)
        // A word without a dot or slash may as well be something else than a file.
        if (verdict === "deny") return tellsContent(argv) || /[./]/.test(word?.text ?? "") ? { verdict, reason } : ask(reason)
      }
    }
  }
  if (judgeWrite) {
    for (const word of destructionOf(command)?.targets ?? []) {
      for (const path of (await folderOf(word, folders, cwd, ports)) ?? []) {
        const { verdict, reason, grave } = await judgeWrite(path)
        if (verdict === "deny") return { verdict, reason }
        if (verdict === "ask" && grave) return { ...ask(reason), grave }
      }
    }
  }
  return undefined
}

export async function judgeFolder({ cwd, ports }: Judge, command: SimpleCommand): Promise<Outcome> {
  const [, target] = command.words
  if (command.words.length !== 2 || !target || target.value === "-") return ask("the folder it changes to is not known")
  const places = await folderOf(target, command.folders, cwd, ports)
  const outside = places?.find((path) => path.outside)
  if (!places || target.glob) return ask("the folder it changes to is not known")
  if (outside) return ask(`${nameOf(outside)} is outside the workspace`)
  return { verdict: "allow", reason: "it only changes to a folder of the workspace" }
}

/** Why a person is asked even where everything is allowed, with what it would reach. */
export async function graveReason({ cwd, ports }: Judge, command: SimpleCommand): Promise<string | undefined> {
  const found = destructionOf(command)
  if (!found) return undefined
  const { what, targets, always, filtered } = found
  const reached: string[] = []
  for (const word of targets) {
    const places = await folderOf(word, command.folders, cwd, ports)
    if (!places) return `it ${what} ${word.text}, and where that leads cannot be told`
    const wide = word.glob && /(?:^|\/)(?:\.?\*+|\.\[[^/]*|\.\?\?*\*?)$/.test(word.value ?? "")
    for (const path of places) {
      const whole =
        !path.outside && path.relative === "" && (wide || !word.glob) && !filtered && !/^(?:overwrites|makes)$/.test(what)
      const git = foldPath(path.relative).split("/").includes(".git")
      const far = path.outside && !isScratch(path.real, ports)
      if (whole || git || far) reached.push(whole ? `${path.real}, the whole workspace` : path.real)
    }
  }
  if (reached.length === 0 && !always) return undefined
  const where = reached.length > 0 ? reached : targets.map((word) => word.text)
  return `it ${what} ${[...new Set(where)].join(", ")}`.trim()
}

export async function judgeWrite({ cwd, ports }: Judge, { target, operator, folders }: Redirection): Promise<CommandPart> {
  const part = { command: `${operator} ${target.text}`, coverable: false }
  if (HARMLESS_DEVICES.test(target.value ?? "")) return { ...part, verdict: "allow", reason: "nothing is kept there" }
  const places = target.glob ? undefined : await folderOf(target, folders, cwd, ports)
  if (!places) {
    return { ...part, verdict: "ask", grave: true, reason: `it writes to ${target.text}, and where that leads cannot be told` }
  }
  let outcome: Outcome = { verdict: "allow", reason: "it writes to a file of the workspace" }
  for (const path of places) {
    const name = nameOf(path)
    const git = foldPath(path.relative).split("/").includes(".git")
    if (git || path.outside || ports.isCredential(path.real)) {
      const grave = git || !isScratch(path.real, ports)
      const reason = `it writes to ${path.real}${path.outside ? ", outside the workspace" : ""}`
      return { ...part, verdict: "ask", reason, grave }
    }
    if (ports.isIgnored(path.relative)) {
      return { ...part, verdict: "deny", reason: `${name} is kept from the agent by the project's ignore file` }
    }
    if (ports.isProtected(path.relative)) outcome = worse(outcome, ask(`it writes to ${name}, which steers git or Joey itself`))
    else if (ports.judgeWrite) outcome = worse(outcome, await ports.judgeWrite(path))
    else outcome = worse(outcome, ask(`it writes to ${name}`))
  }
  return { ...part, ...outcome }
}

export async function judgeRead(judge: Judge, { target, folders }: Redirection): Promise<CommandPart> {
  const part = { command: `< ${target.text}`, coverable: false }
  if (HARMLESS_DEVICES.test(target.value ?? "")) return { ...part, verdict: "allow", reason: "there is nothing to read" }
  const places = await folderOf(target, folders, judge.cwd, judge.ports)
  if (!places || target.glob) return { ...part, verdict: "ask", reason: `where ${target.text} leads cannot be told` }
  const asCommand = { argv: ["cat", target.value], words: [target, target], folders } as const
  const found = await judgePath(
    judge,
    { ...asCommand, text: "", cwdKnown: true, via: [], assignments: [], wrapper: false, fed: false },
    target,
  )
  return { ...part, ...(found ?? { verdict: "allow", reason: "it reads a file of the workspace" }) }
}
