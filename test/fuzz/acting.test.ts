import { describe } from "vitest"
import { history } from "./history.property.ts"
import { loop } from "./loop.property.ts"
import { socket } from "./socket.property.ts"
import { holds } from "./some-cases.ts"
import { switches } from "./switches.property.ts"

describe("random tasks", () => {
  holds("S12 S17 S18", history, 1_700)
  holds("S11 S12 S17 S18 R8 R9 R10 R12 I15 I18", switches, 600)
  holds("S12 S17 S19 S20 S25 S28", loop, 350)
  holds("S12 S17 S19", socket, 40)
})
