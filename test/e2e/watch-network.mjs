/** Loaded into the real command with `node --import`: writes down whom it connects to, one line each, into WATCH_FILE. */
import { appendFileSync } from "node:fs"
import net from "node:net"

const connect = net.Socket.prototype.connect
net.Socket.prototype.connect = function (...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args
  appendFileSync(process.env.WATCH_FILE, `${options.path ?? `${options.host ?? "localhost"}:${options.port}`}\n`)
  return connect.apply(this, args)
}
