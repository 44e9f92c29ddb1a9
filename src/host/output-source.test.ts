import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { outputSink } from "./output-sink.ts"
import { readPipe, readStreams } from "./output-source.ts"
import { pipeStore } from "./real-pipe.ts"
import { temporaryFolder } from "./temporary-folder.ts"

async function ground(mostBytes = 2 ** 30) {
  const folder = await temporaryFolder({ out: "" })
  const path = join(folder, "out")
  const told: string[] = []
  const sink = outputSink(path, mostBytes, { onFull: () => told.push("full"), onLost: (words) => told.push(words) })
  return { folder, path, told, sink }
}

/** Runs a line with its output on a pipe, to the end. */
async function printed(line: string, mostBytes?: number) {
  const { folder, path, told, sink } = await ground(mostBytes)
  const pipe = await pipeStore(folder).take()
  if (!pipe) throw new Error("there is no pipe")
  const child = spawn("sh", ["-c", line], { stdio: ["ignore", pipe.write, pipe.write] })
  const source = readPipe(pipe, sink)
  await once(child, "exit")
  await source.drain()
  return { path, told }
}

describe("output that is brought into its file", () => {
  it("is whole and in order, whether we read it or it was handed over", async () => {
    for (const count of [10, 30_000, 60_000, 400_000]) {
      const { path } = await printed(`seq ${count}`)
      expect(execFileSync("sh", ["-c", `seq ${count} | cmp - ${path} && echo same`]).toString()).toBe("same\n")
    }
  })

  it("is whole also when it comes in small pieces around the point where it is handed over", async () => {
    const { path } = await printed("i=0; while [ $i -lt 300 ]; do seq 300; i=$((i+1)); done")
    expect(statSync(path).size).toBe(300 * 1092)
    expect(readFileSync(path, "utf8").split("300\n")).toHaveLength(301)
  })

  it("is cut at the largest size, and that is told once", async () => {
    const { path, told } = await printed("yes | head -c 5000000", 100_000)
    expect(statSync(path).size).toBe(100_000)
    expect(told).toEqual(["full"])
    const handed = await printed("yes | head -c 5000000; sleep 0.3", 1_000_000)
    expect(statSync(handed.path).size).toBe(1_000_000)
    expect(handed.told).toEqual(["full"])
  })

  it("that cannot be kept is told once, and nothing throws", async () => {
    const { told } = await ground()
    const sink = outputSink("/nowhere/out", 100, { onFull() {}, onLost: (words) => told.push(words) })
    sink.push(Buffer.from("a"))
    sink.push(Buffer.from("b"))
    sink.trim()
    expect(told).toEqual([expect.stringMatching(/^A part of its output is lost: /)])
  })

  it("comes from sockets where there are no pipes to be had", async () => {
    const { path, sink } = await ground()
    const child = spawn("sh", ["-c", "echo a; echo b >&2; seq 100000"], { stdio: ["ignore", "pipe", "pipe"] })
    const source = readStreams([child.stdout, child.stderr], sink)
    await once(child, "close")
    await source.drain()
    expect(statSync(path).size).toBe(4 + 588_895)
  })
})

describe("pipes", () => {
  it("are made in batches, used once, and leave nothing behind", async () => {
    const { folder } = await ground()
    writeFileSync(join(folder, "pipe-1"), "") // of a run that was killed
    const store = pipeStore(folder)
    const taken = await Promise.all(Array.from({ length: 10 }, () => store.take()))
    expect(taken.every((pipe) => pipe !== undefined)).toBe(true)
    for (const pipe of taken) pipe?.drop()
    store.close()
    expect(readdirSync(folder)).toEqual(["out"])
  })

  it("are not there in a folder that cannot hold any, and then sockets must do", async () => {
    expect(await pipeStore("/proc").take()).toBeUndefined()
  })
})
