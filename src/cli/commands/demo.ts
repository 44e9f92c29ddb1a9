/** The embedded default: the main job for real, in a sample project of its own, with a script in the model's place. */
import { execFile } from "node:child_process"
import { cpSync, mkdtempSync, realpathSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { createTask } from "../../engine/create-task.ts"
import { chooseModel, connectModel } from "../../providers/connect.ts"
import { demoProjectFolder, demoScenario, demoTask } from "../../scripted-model/demo.ts"
import { startScriptedModel } from "../../scripted-model/server.ts"
import { joeyHome, taskFiles } from "../../task/store.ts"
import { UsageError } from "../arguments.ts"
import { front } from "../front.ts"

export async function demo(args: readonly string[], process: NodeJS.Process): Promise<number> {
  if (args.length > 0) throw new UsageError("joey demo takes no arguments; it brings its own project and task.")
  const { stdout, env } = process
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), "joey-demo-")))
  cpSync(demoProjectFolder(), workspace, { recursive: true })
  const model = await startScriptedModel(demoScenario)
  stdout.write(introduction(workspace))
  try {
    const chosen = chooseModel({ baseUrl: model.url, model: "scripted-demo" }, env)
    if (!chosen.ok) throw new UsageError(chosen.problem)
    const task = await createTask({ workspace, model: connectModel(chosen.target), settings: { approval: "yes" } })
    task.send({ type: "say", content: [{ type: "text", text: demoTask }] })
    const code = await front("text", process, { attended: false }).run(task)
    if (code !== 0) return code
    const { passed, summary } = await runTests(workspace)
    stdout.write(`${passed ? "✓" : "✗"} Checked once more, outside the task: node --test says ${summary}.\n`)
    stdout.write(`${await savePage(task.id, env)}${HOW_TO_GO_ON}`)
    return passed ? 0 : 1
  } finally {
    await model.close()
  }
}

/** The work is done without it, so that no page is no failure. */
async function savePage(task: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { exportedTask, save } = await import("./export.ts")
  const home = resolve(joeyHome(env))
  const path = join(taskFiles(home, task).folder, "task.html")
  try {
    const { text } = await exportedTask({ home, task, env, format: "html" })
    save(path, text, 0o600)
    return `The whole task as a page: ${pathToFileURL(path).href}\n`
  } catch {
    return ""
  }
}

function introduction(workspace: string): string {
  return `No model is set up, so this is the demo: the model is a script that ships with Joey, not an intelligence.
Everything else is real: the server it talks to, the tools, the files and the test run. Sample project: ${workspace}

`
}

const HOW_TO_GO_ON = `
To use a real model, in your own project:
  OPENROUTER_API_KEY=… joey "fix the failing test" --model openrouter/VENDOR/MODEL
  joey --base-url http://127.0.0.1:11434/v1 --model NAME "fix the failing test"     (any OpenAI-compatible server, no key)
From a clone of this repository write \`npm start -- …\` instead of \`joey …\`.
`

function runTests(workspace: string): Promise<{ passed: boolean; summary: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ["--test"], { cwd: workspace, timeout: 30_000 }, (error, output) => {
      const count = (word: string) => new RegExp(`^\\S+ ${word} (\\d+)$`, "m").exec(output)?.[1] ?? "?"
      resolve({ passed: !error, summary: `${count("pass")} passed, ${count("fail")} failed` })
    })
  })
}
