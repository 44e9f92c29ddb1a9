/** Imported by tests that run what was built: brings dist/ up to date, also when vitest is started by hand. */
import { execFileSync } from "node:child_process"

execFileSync(process.execPath, ["scripts/setup.mjs"], { stdio: ["ignore", "inherit", "inherit"] })
