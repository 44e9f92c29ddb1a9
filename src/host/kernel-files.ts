/**
 * Files that are no files: what the kernel shows of itself and of running processes (their memory, their environment with our keys
 * in it), and devices. Reading some never ends, writing others does something. They are not touched as files; a command can.
 */
import { statfsSync } from "node:fs"
import { systemError } from "./host-error.ts"

/** /dev/shm is ordinary memory for files. */
const PLACES = /^\/(?:proc|sys|dev)(?:\/(?!shm(?:\/|$))|$)/

/** Numbers of file systems (Linux): such a one can be mounted anywhere. */
const KINDS: ReadonlySet<number> = new Set([
  ...[0x9fa0, 0x62656572, 0x64626720, 0x74726163, 0x73636673, 0x62656570], // proc, sys, debug, trace, security, config
  ...[0x27e0eb, 0x63677270, 0x1cd1, 0x42494e4d, 0x6e736673, 0x19800202], // cgroup, cgroup2, devpts, binfmt, ns, mqueue
  ...[0xcafe4a11, 0xde5e81e4, 0xf97cff8c, 0x6165676c], // bpf, efivar, selinux, pstore
])

/** `real` is where it really is, `door` a way to it that stays. */
export function refuseKernelFile(real: string, door: string): void {
  if (PLACES.test(real) || (process.platform === "linux" && KINDS.has(statfsSync(door).type))) throw systemError("OF_THE_KERNEL")
}
