import { describe } from "vitest"
import { damage } from "./damage.property.ts"
import { dialects } from "./dialects.property.ts"
import { long } from "./long.property.ts"
import { holds } from "./some-cases.ts"
import { splits } from "./splits.property.ts"
import { wires } from "./wires.property.ts"

describe("random transcripts", () => {
  holds("S2 T3 T4", splits, 78_000)
  holds("S2 S3 S5 S8", dialects, 9_000)
  holds("S5 S12", damage, 11_000)
  holds("S3", long, 50)
  holds("S2 S5 S12 T3 T4 A12 M1 M2 M7 P2 P3 R10", wires, 6_000)
})
