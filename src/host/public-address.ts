/**
 * Which addresses of the internet are public. Everything else (this machine, its networks, link-local ones where clouds keep
 * their keys, and addresses that only wrap such a one) is not.
 */
import { BlockList, isIP } from "node:net"

const PRIVATE_4 = (
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 " +
  "192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4"
).split(" ")
/** What wraps an IPv4 address (mapped, NAT64, 6to4, Teredo) is refused as a whole: nobody needs it for a page. */
const PRIVATE_6 =
  "::/96 ::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16".split(" ")
/** Global unicast: all that was ever given out for public use. */
const GLOBAL_6 = "2000::/3"

export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, "").split("%")[0] ?? ""
  const family = isIP(plain)
  if (family === 4) return !listOf(PRIVATE_4, "ipv4").check(plain, "ipv4")
  if (family !== 6) return false
  return listOf([GLOBAL_6], "ipv6").check(plain, "ipv6") && !listOf(PRIVATE_6, "ipv6").check(plain, "ipv6")
}

function listOf(subnets: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [net = "", bits = ""] = subnet.split("/")
    list.addSubnet(net, Number(bits), family)
  }
  return list
}
