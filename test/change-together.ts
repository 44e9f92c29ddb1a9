/** For the tests of a crash: changes files together and kills itself, as `kill -9` would, before the step that is named. */
import { join } from "node:path"
import { changeTogether } from "../src/host/file-transaction.ts"

const [folder = "", undoFolder = "", deadly = ""] = process.argv.slice(2)

await changeTogether(
  [
    { path: join(folder, "a.txt"), content: "A" },
    { path: join(folder, "new/deep/b.txt"), content: "B", from: join(folder, "gone.sh") },
    { path: join(folder, "gone.sh"), remove: true },
  ],
  {
    undoFolder,
    onStep(step) {
      if (step === deadly) process.kill(process.pid, "SIGKILL")
    },
  },
)
