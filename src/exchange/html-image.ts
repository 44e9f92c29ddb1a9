/** A picture inside the page, while there is room; otherwise a line that says what is left out. */
import { sizeWords } from "../text/size-words.ts"
import type { Content } from "../types/message.ts"
import { type Html, html } from "./html.ts"
import type { Room } from "./room.ts"

/** Pictures made of dots only: a drawing could carry more than a picture. */
const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"]

export function image({ mediaType, data }: Content & { type: "image" }, room: Room): Html {
  const size = sizeWords(Math.round(data.length * 0.75))
  const isPicture = PICTURES.includes(mediaType) && /^[A-Za-z0-9+/]+={0,2}$/.test(data)
  if (!isPicture || data.length > room.images) return html`<p class="note">[${mediaType}, ${size}, left out]</p>`
  room.images -= data.length
  return html`<img alt="${mediaType}, ${size}" src="data:${mediaType};base64,${data}">`
}
