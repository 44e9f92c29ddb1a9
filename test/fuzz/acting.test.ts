import { describe } from "vitest"
import { history } from "./history.property.ts"
import { loop } from "./loop.property.ts"
import { socket } from "./socket.property.ts"
import { holds } from "./some-cases.ts"

describe("random tasks", () => {
  holds("S12 S17 S18", history, 3_500)
  holds("S12 S17 S19 S20 S25 S28", loop, 700)
  holds("S12 S17 S19", socket, 40)
})
