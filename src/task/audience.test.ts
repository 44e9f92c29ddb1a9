/** Followers: the past first, then everything as it happens, nothing durable lost or told twice. */
import { expect, it } from "vitest"
import type { Recorded, TaskEvent } from "../types/event.ts"
import { audience } from "./audience.ts"

const durable = (seq: number): Recorded => ({ seq, at: "", type: "notice", text: String(seq) })
const live = (text: string): TaskEvent => ({ type: "text", text })
const label = (event: TaskEvent): string => ("seq" in event ? String(event.seq) : event.type === "text" ? event.text : event.type)

async function all(events: AsyncIterable<TaskEvent>): Promise<string[]> {
  const heard: string[] = []
  for await (const event of events) heard.push(label(event))
  return heard
}

it("tells the past, then what happens, until it is closed", async () => {
  const { tell, follow, close } = audience()
  const heard = all(follow(() => [durable(1), durable(2)]))
  await Promise.resolve()
  tell(durable(3))
  tell(live("a"))
  tell(durable(4))
  close()
  expect(await heard).toEqual(["1", "2", "3", "a", "4"])
})

it("does not tell twice what was recorded while the past was read", async () => {
  const { tell, follow, close } = audience()
  const heard = all(
    follow(() => {
      tell(durable(2)) // is in the log that is being read
      return [durable(1), durable(2)]
    }),
  )
  await Promise.resolve()
  tell(durable(3))
  close()
  expect(await heard).toEqual(["1", "2", "3"])
})

it("one who falls behind loses live events only", async () => {
  const { tell, follow, close } = audience()
  const slow = follow(() => [])[Symbol.asyncIterator]()
  const first = slow.next()
  for (let seq = 1; seq <= 3; seq++) {
    for (let count = 0; count < 1_000; count++) tell(live("x"))
    tell(durable(seq))
  }
  close()
  const heard = [label((await first).value)]
  for (let step = await slow.next(); !step.done; step = await slow.next()) heard.push(label(step.value))
  expect(heard.filter((each) => each !== "x")).toEqual(["1", "2", "3"])
  expect(heard.length).toBeLessThan(2_000)
})

it("one who leaves does not keep the others, and one who comes after the end hears the past and the end", async () => {
  const { tell, follow, close } = audience()
  const staying = all(follow(() => []))
  for await (const event of follow(() => [durable(1)])) {
    expect(label(event)).toBe("1")
    break
  }
  await Promise.resolve()
  tell(durable(2))
  close()
  expect(await staying).toEqual(["2"])
  expect(await all(follow(() => [durable(1), durable(2)]))).toEqual(["1", "2"])
})
