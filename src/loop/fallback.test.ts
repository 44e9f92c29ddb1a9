/** Another model takes over within the same turn, and the person can choose one. */
import { expect, it } from "vitest"
import { call, fails, reply, words } from "../../test/replies.ts"
import { taskWorld } from "../../test/task-harness.ts"
import type { Model } from "../types/model.ts"

const second = (model: Model): Model => ({ ...model, id: "second/model" })
const alone = (): never => {
  throw new Error("there is one task only")
}

it("goes on with the same turn on the model that takes over, and the log says so", async () => {
  const world = taskWorld({
    script: [reply(fails("quota")), reply(words("hello"))],
    reminders: 0,
    models: (model) => ({
      for: () => model,
      instead: (of, fault) => (of.id === model.id && fault.kind === "quota" ? second(model) : undefined),
      choose: () => undefined,
      branch: alone,
    }),
  })
  const opening = world.open()
  expect(await opening.run("hi")).toMatchObject({ reason: "answered", result: "hello" })
  expect(opening.recorded("turn-started")).toHaveLength(1)
  expect(opening.recorded("model-changed")).toMatchObject([{ model: "second/model", by: "fallback" }])
  expect(opening.recorded("replied")[0]?.message.model).toBe("second/model")
})

it("when nobody can take over, the fault ends the run as before", async () => {
  const world = taskWorld({ script: [reply(fails("quota"))] })
  expect(await world.open().run("hi")).toMatchObject({ reason: "fault", fault: { kind: "quota" } })
})

it("the person's choice holds from the next request on; a name nobody knows is told", async () => {
  const world = taskWorld({
    script: [reply(call("hand_in", { result: "done" }))],
    models(model) {
      let current: Model = model
      return {
        for: () => current,
        instead: () => undefined,
        choose(name) {
          if (name !== "other") return undefined
          current = second(model)
          return current
        },
        branch: alone,
      }
    },
  })
  const opening = world.open()
  opening.task.send({ type: "set-model", model: "other" })
  opening.task.send({ type: "set-model", model: "nobody" })
  opening.say("go")
  await opening.answer("yes")
  await opening.ending()
  expect(opening.recorded("model-changed")).toMatchObject([{ model: "second/model", by: "person" }])
  expect(opening.recorded("replied")[0]?.message.model).toBe("second/model")
  expect(JSON.stringify(opening.recorded("notice"))).toContain("nobody")
})
