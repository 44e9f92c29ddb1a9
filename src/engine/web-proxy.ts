/** How pages are reached where the environment sets a proxy: by the same rules as models are. */
import type { WebOptions } from "../host/web.ts"
import type { Dial } from "../providers/http.ts"
import { proxyFor } from "../providers/proxy.ts"
import { HostError } from "../types/host.ts"

export function throughProxies(env: NodeJS.ProcessEnv, caFile?: string): NonNullable<WebOptions["through"]> {
  const opened = new Map<string, { http: Dial; https: Dial }>()
  return async (address) => {
    const choice = proxyFor(address, env)
    if ("problem" in choice) throw new HostError("other", choice.problem)
    const { proxy } = choice
    if (!proxy) return undefined
    const { dialThrough } = await import("../providers/tunnel.ts")
    const dials = opened.get(proxy.address) ?? dialThrough({ proxy, caFile })
    opened.set(proxy.address, dials)
    return { proxy: proxy.address, request: address.startsWith("https:") ? dials.https : dials.http }
  }
}
