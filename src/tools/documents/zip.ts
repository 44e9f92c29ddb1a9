/** Looks into a ZIP archive in memory. What an entry unpacks to is bounded, whatever the archive says about its size. */
import { ToolError } from "../../types/tool.ts"

export interface ZipEntry {
  name: string
  /** Rejects with a ToolError when it is damaged or larger than this. */
  read(most: number): Promise<Uint8Array>
}

const END_OF_DIRECTORY = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50
const LOCAL_ENTRY = 0x04034b50
/** A comment of any length may stand behind the directory. */
const LONGEST_ENDING = 22 + 0xffff
const MOST_ENTRIES = 10_000
const STORED = 0
const DEFLATED = 8

export function zipEntries(archive: Uint8Array): ZipEntry[] {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.length)
  const end = endOfDirectory(bytes)
  const count = bytes.readUInt16LE(end + 10)
  const entries: ZipEntry[] = []
  let at = bytes.readUInt32LE(end + 16)
  for (let index = 0; index < Math.min(count, MOST_ENTRIES); index++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== DIRECTORY_ENTRY) throw damaged()
    const nameLength = bytes.readUInt16LE(at + 28)
    const entry = {
      method: bytes.readUInt16LE(at + 10),
      packed: bytes.readUInt32LE(at + 20),
      local: bytes.readUInt32LE(at + 42),
    }
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength)
    entries.push({ name, read: (most) => unpack(bytes, entry, most) })
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return entries
}

function endOfDirectory(bytes: Buffer): number {
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - LONGEST_ENDING); at--) {
    if (bytes.readUInt32LE(at) === END_OF_DIRECTORY) return at
  }
  throw damaged()
}

interface Place {
  method: number
  packed: number
  local: number
}

async function unpack(bytes: Buffer, { method, packed, local }: Place, most: number): Promise<Uint8Array> {
  if (local + 30 > bytes.length || bytes.readUInt32LE(local) !== LOCAL_ENTRY) throw damaged()
  const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
  const data = bytes.subarray(start, start + packed)
  if (method === STORED && data.length <= most) return data
  if (method === STORED) throw tooLarge()
  if (method !== DEFLATED) throw damaged()
  const [{ inflateRaw }, { promisify }] = await Promise.all([import("node:zlib"), import("node:util")])
  try {
    return await promisify(inflateRaw)(data, { maxOutputLength: Math.max(1, most) })
  } catch (error) {
    throw error instanceof RangeError ? tooLarge() : damaged()
  }
}

function damaged(): ToolError {
  return new ToolError("it is damaged, or no archive that can be opened here")
}

function tooLarge(): ToolError {
  return new ToolError("it unpacks to far more than a document has")
}
