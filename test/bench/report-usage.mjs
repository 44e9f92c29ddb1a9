/** Loaded into a measured process with `node --import`: at its exit, writes what it consumed as JSON to file descriptor 3. */
import { writeSync } from "node:fs"

process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  writeSync(3, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMb: maxRSS / 1024 }))
})
