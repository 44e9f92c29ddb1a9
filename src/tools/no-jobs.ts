/** Where no command can be run: for describing tools, and for tests of others. */
import { HostError } from "../types/host.ts"
import type { Jobs } from "../types/job.ts"

export const noJobs: Jobs = {
  start: () => Promise.reject(new HostError("other", "no command can be run here")),
  find: () => undefined,
  running: () => [],
  all: () => [],
  onEnd() {},
  close: async () => {},
}
