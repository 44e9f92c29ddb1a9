/** An image file for the model: the image itself where the model can see it, else what can be said about it. */

/** What models take; others are only described. */
const MEDIA_TYPES: Record<string, string> = {
  "PNG image": "image/png",
  "JPEG image": "image/jpeg",
  "GIF image": "image/gif",
  "WebP image": "image/webp",
}

export const MOST_IMAGE_BYTES = 5 * 1024 * 1024
/** Of one call. */
export const MOST_IMAGES_BYTES = 20 * 1024 * 1024

/** undefined for what is no image, or none a model takes. */
export function mediaTypeOf(kind: string): string | undefined {
  return Object.hasOwn(MEDIA_TYPES, kind) ? MEDIA_TYPES[kind] : undefined
}

/** ", 640×480" where the first bytes tell, else empty. */
export function dimensions(kind: string, head: Uint8Array): string {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  if (kind === "PNG image" && head.length >= 24) return `, ${view.getUint32(16)}×${view.getUint32(20)}`
  if (kind === "GIF image" && head.length >= 10) return `, ${view.getUint16(6, true)}×${view.getUint16(8, true)}`
  return kind === "JPEG image" ? jpegDimensions(view) : ""
}

/** They stand in the frame header, behind segments of other use. */
function jpegDimensions(view: DataView): string {
  let at = 2
  while (at + 9 < view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return `, ${view.getUint16(at + 7)}×${view.getUint16(at + 5)}`
    at += 2 + view.getUint16(at + 2)
  }
  return ""
}
