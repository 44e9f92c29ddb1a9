import { prices } from "./prices.js"

/** How many of a kind it takes to get the discount. */
const ENOUGH = 3

/** What a basket costs in cents: `{ apple: 2, bread: 1 }` is two apples and one bread. */
export function total(basket) {
  let sum = 0
  for (const [kind, count] of Object.entries(basket)) {
    const full = priceOf(kind) * count
    sum += count > ENOUGH ? discounted(full) : full
  }
  return sum
}

function priceOf(kind) {
  if (!Object.hasOwn(prices, kind)) throw new Error(`The stall does not sell ${kind}.`)
  return prices[kind]
}

/** A tenth off, in whole cents. */
function discounted(cents) {
  return Math.round(cents * 0.9)
}
