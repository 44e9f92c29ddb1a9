/**
 * The client package, loaded with the first server that is started. It writes warnings on the terminal, with the words of servers in them as they
 * came: those lines, and no others, are swallowed from then on.
 */

type ClientPackage = typeof import("@modelcontextprotocol/client")

const ITS_LINES = "[mcp-sdk]"

export function loadClientPackage(): Promise<ClientPackage> {
  if (console.warn.name !== quiet.name) console.warn = quiet(console.warn)
  return import("@modelcontextprotocol/client")
}

function quiet(warn: typeof console.warn): typeof console.warn {
  const quieted: typeof console.warn = (...words) => {
    if (!String(words[0]).startsWith(ITS_LINES)) warn(...words)
  }
  return Object.defineProperty(quieted, "name", { value: quiet.name })
}
