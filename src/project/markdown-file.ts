/** A Markdown file with a head, read from disk; what is wrong with it is one problem with its line. */
import { type FrontMatter, readFrontMatter } from "../text/front-matter.ts"
import type { Finding } from "../types/finding.ts"
import type { Disk } from "./disk.ts"

/** undefined when the file is gone. A finding about the head comes with the file; about the file, alone. */
export interface MarkdownFile {
  file?: FrontMatter
  finding?: Finding
}

export async function readMarkdown(path: string, disk: Disk): Promise<MarkdownFile | undefined> {
  const reading = await disk.read(path)
  if (!reading) return undefined
  const name = disk.nameOf(path)
  if ("problem" in reading) return { finding: { file: name, reason: reading.problem } }
  const file = await readFrontMatter(reading.text, loadYaml)
  return { file, ...(file.problem && { finding: { file: name, ...file.problem } }) }
}

async function loadYaml(): Promise<(text: string) => unknown> {
  const { parse } = await import("yaml")
  return (text) => parse(text, { merge: true, logLevel: "error" })
}
