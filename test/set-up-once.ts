/** Before any test: the build is current, also when vitest is started by hand. */
import { execFileSync } from "node:child_process"

export default function setUpOnce(): void {
  execFileSync(process.execPath, ["scripts/setup.mjs"], { stdio: ["ignore", "inherit", "inherit"] })
}
