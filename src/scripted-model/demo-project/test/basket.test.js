import assert from "node:assert/strict"
import { test } from "node:test"
import { total } from "../src/basket.js"

test("an empty basket costs nothing", () => {
  assert.equal(total({}), 0)
})

test("prices are added up", () => {
  assert.equal(total({ apple: 2, bread: 1 }), 430)
})

test("three of a kind cost a tenth less", () => {
  assert.equal(total({ apple: 3 }), 108)
})

test("more than three of a kind cost a tenth less", () => {
  assert.equal(total({ apple: 10, cheese: 1 }), 980)
})

test("the stall says what it does not sell", () => {
  assert.throws(() => total({ pumpkin: 1 }), /does not sell pumpkin/)
})
