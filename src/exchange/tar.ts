/** The smallest archive that every system opens: files in one folder, as ustar, compressed. */
import { gzipSync } from "node:zlib"

export interface ArchivedFile {
  /** Plain letters, at most 100 bytes together with the folder. */
  name: string
  text: string
}

const BLOCK = 512

export function tarGz(folder: string, files: readonly ArchivedFile[], now = Date.now()): Buffer {
  const parts = files.flatMap(({ name, text }) => {
    const data = Buffer.from(text)
    return [header(`${folder}/${name}`, data.length, now), data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK)]
  })
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])) // two empty blocks end it
}

/** Numbers are octal. The sum counts its own field as blanks. */
function header(name: string, size: number, now: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, "0")}\0`
  block.write(name, 0, 100)
  block.write(octal(0o600, 8), 100)
  block.write(octal(0, 8), 108)
  block.write(octal(0, 8), 116)
  block.write(octal(size, 12), 124)
  block.write(octal(Math.floor(now / 1000), 12), 136)
  block.write(" ".repeat(8), 148)
  block.write("0", 156)
  block.write("ustar\x0000", 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  return block
}
