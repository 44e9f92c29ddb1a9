import { expect, it } from "vitest"
import { lateFacts } from "./late-facts.ts"

const after = <T>(ms: number, value: T) => new Promise<T>((resolve) => setTimeout(resolve, ms, value))
const never = new Promise<string>(() => {})

it("S49: the first request waits for what is slow, in the order of the sources, and says once that it waits", async () => {
  const told: number[] = []
  const facts = lateFacts([after(20, "slow"), after(1, "quick"), Promise.reject(new Error("broken"))], {
    waiting: (n) => told.push(n),
  })
  expect(await facts.now()).toEqual(["slow", "quick"])
  expect(await facts.now()).toEqual(["slow", "quick"])
  expect(told).toHaveLength(1)
  expect(facts.missing).toBe(0)
})

it("S49: it waits for no longer than its patience, and what is late joins later without any waiting", async () => {
  let release = (_value: string) => {}
  const late = new Promise<string>((resolve) => {
    release = resolve
  })
  const facts = lateFacts([late, Promise.resolve("there"), never], { patienceMs: 10 })
  expect(await facts.now()).toEqual(["there"])
  expect(facts.missing).toBe(2)
  release("late")
  await late
  expect(await facts.now()).toEqual(["late", "there"])
  expect(facts.missing).toBe(1)
})

it("S49: nothing to wait for is no wait, and a cancelled one ends at once", async () => {
  const told: number[] = []
  expect(await lateFacts([], { waiting: (n) => told.push(n) }).now()).toEqual([])
  expect(told).toEqual([])
  expect(await lateFacts([never]).now(AbortSignal.abort())).toEqual([])
})
