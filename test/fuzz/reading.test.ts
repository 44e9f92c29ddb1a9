import { describe } from "vitest"
import { damage } from "./damage.property.ts"
import { dialects } from "./dialects.property.ts"
import { holds } from "./some-cases.ts"
import { splits } from "./splits.property.ts"

describe("random transcripts", () => {
  holds("S2 T3 T4", splits)
  holds("S2 S3 S5 S8", dialects)
  holds("S5 S12", damage)
})
