/** The command. The only file that acts when imported, and it looks for --version before it loads anything. */

declare const JOEY_VERSION: string | undefined

const [first] = process.argv.slice(2)
if (first === "--version" || first === "-v") {
  process.stdout.write(`${typeof JOEY_VERSION === "string" ? JOEY_VERSION : "development"}\n`)
} else {
  const { runCommand } = await import("./run-command.ts")
  process.exitCode = await runCommand(process.argv.slice(2), process)
}
