/** Checks an argument against a schema, in a process of its own: `check-schema.ts SCHEMA`. A schema that takes for ever takes only this one along. */
import { loadCompilers, serverSchema } from "../../src/mcp/input-check.ts"

const compilers = await loadCompilers()
const began = Date.now()
const schema = serverSchema(JSON.parse(process.argv[2] ?? "{}"), compilers)
if (!("problem" in schema)) schema.check({ a: `${"a".repeat(60)}!` })
process.stdout.write(`${"problem" in schema ? "left out" : "checked"} in ${Date.now() - began} ms\n`)
