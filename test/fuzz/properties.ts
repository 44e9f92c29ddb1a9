/** Every property, from the wire to the whole task. */
import { damage } from "./damage.property.ts"
import { dialects } from "./dialects.property.ts"
import { history } from "./history.property.ts"
import { long } from "./long.property.ts"
import { loop } from "./loop.property.ts"
import type { Property } from "./property.ts"
import { socket } from "./socket.property.ts"
import { splits } from "./splits.property.ts"
import { switches } from "./switches.property.ts"
import { wires } from "./wires.property.ts"

export const properties: readonly Property[] = [splits, dialects, damage, wires, long, history, switches, loop, socket]
