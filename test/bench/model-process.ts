/** Starts the scripted model in a process of its own. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { buildProgram, cleanEnvironment } from "./node-process.ts"

export interface ModelProcess {
  /** A base URL at which the script begins anew. */
  url(name: string): string
  close(): void
}

export async function startModel(script: string, folder: string): Promise<ModelProcess> {
  const child = fork(await buildProgram("model-server", folder), [script], { env: cleanEnvironment() })
  const [root] = await once(child, "message")
  return { url: (name) => `${root}/${name}/v1`, close: () => child.disconnect() }
}
