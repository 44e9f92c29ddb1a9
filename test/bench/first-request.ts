/** Starts the built command and waits for its first request: when it arrived, and what it carried. */
import { type ChildProcess, spawn } from "node:child_process"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { COMMAND } from "./measured-process.ts"
import { cleanEnvironment } from "./node-process.ts"

export interface FirstRequest {
  /** From starting the process to the last byte of the request. */
  tookMs: number
  body: string
  /** What the process had written to file descriptor 3 by then. */
  noted: string
}

export async function firstRequest(
  folder: string,
  nodeOptions: readonly string[] = [],
  extraEnvironment: Record<string, string> = {},
): Promise<FirstRequest> {
  let child: ChildProcess | undefined
  const server = createServer()
  const received = new Promise<{ at: number; body: string }>((done) => {
    server.once("request", (request) => {
      let body = ""
      request.setEncoding("utf8").on("data", (text: string) => {
        body += text
      })
      request.once("end", () => done({ at: performance.now(), body }))
    })
  })
  const url = await listening(server)
  try {
    const started = performance.now()
    const args = [...nodeOptions, COMMAND, "--base-url", url, "--model", "x", "hello"]
    const env = { ...cleanEnvironment(), ...extraEnvironment, JOEY_HOME: join(folder, "home") }
    child = spawn(process.execPath, args, { env, cwd: folder, stdio: ["ignore", "ignore", "inherit", "pipe"] })
    let noted = ""
    child.stdio[3]?.on("data", (text) => {
      noted += text
    })
    const { at, body } = await Promise.race([received, endOf(child)])
    return { tookMs: at - started, body, noted }
  } finally {
    child?.kill("SIGKILL")
    server.closeAllConnections()
    server.close()
  }
}

function listening(server: Server): Promise<string> {
  return new Promise((done) => {
    server.listen(0, "127.0.0.1", () => done(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`))
  })
}

function endOf(child: ChildProcess): Promise<never> {
  return new Promise((_, fail) => {
    child.once("exit", (code, signal) => fail(new Error(`the command ended (${signal ?? code}) without a request`)))
  })
}
