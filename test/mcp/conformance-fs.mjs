/** Lets the conformance suite load on Node 20: it imports a member of `fs` that came with Node 22, for a command that is not used here. */
import { register } from "node:module"

const stand = `export * from "node:fs"; export const globSync = () => { throw new Error("not on this Node") }`
const hooks = `export const resolve = (specifier, context, next) =>
  specifier === "fs" && context.parentURL?.includes("/conformance/")
    ? { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(stand)}`)}, shortCircuit: true }
    : next(specifier, context)`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
