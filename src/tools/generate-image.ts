/** Has a model make an image, or change one, and saves it in the workspace under a name whose ending says what it really is. */
import * as z from "zod"
import { binaryKind } from "../text/binary-kind.ts"
import { sizeWords } from "../text/size-words.ts"
import { truncate } from "../text/truncate.ts"
import type { Host } from "../types/host.ts"
import type { Show } from "../types/show.ts"
import { type Tool, type ToolContext, ToolError, type ToolOutput } from "../types/tool.ts"
import type { Usage } from "../types/usage.ts"
import { defineTool } from "./define-tool.ts"
import { dimensions, MOST_IMAGE_BYTES, mediaTypeOf } from "./image-file.ts"
import { pathArgument } from "./path-argument.ts"

type Format = "png" | "jpeg" | "webp"

export interface ImagePort {
  /** Rejects with a ToolError in one line, or with the signal's reason. */
  make(
    wish: { prompt: string; image?: { mediaType: string; bytes: Uint8Array }; format: Format },
    signal: AbortSignal,
  ): Promise<{ bytes: Uint8Array; usage?: Usage }>
  /** The task's model can be shown images. */
  seen?(): boolean
}

const LONGEST_PROMPT = 32_000
/** Of an image to be changed. */
const MOST_INPUT_BYTES = 20 * 1024 * 1024

const offered = z.object({
  prompt: z.string().min(1).describe("What to make, or what to change"),
  path: z.string().min(1).describe("Where to save it, relative to the workspace"),
  image: z.string().nullish().describe("File of an image to change"),
})

const accepted = offered.extend({
  prompt: offered.shape.prompt
    .refine((text) => text.length <= LONGEST_PROMPT, `expected at most ${LONGEST_PROMPT} characters`)
    .refine((text) => text === "" || text.trim() !== "", "expected words, got only white space"),
  path: pathArgument().refine((path) => !/[\\/]$/.test(path), "expected a file, got a folder"),
  image: pathArgument().nullish(),
})

type Input = z.output<typeof accepted>

const ENDINGS: Record<string, readonly string[]> = { png: ["png"], jpeg: ["jpg", "jpeg"], webp: ["webp"] }
const ENDING = /\.(png|jpe?g|webp|gif)$/i

export function generateImage(port: ImagePort | undefined): Tool<Input> {
  return defineTool({
    name: "generate_image",
    group: "edit",
    effect: "write",
    description:
      "Make an image from words, or change an image file, and save it. The ending of its name follows the kind of image that comes.",
    offered,
    input: accepted,
    spellings: { file_path: "path" },
    // What kind of image comes is known afterwards only, so every name it could get is judged before.
    touches: ({ path, image }) => [...new Set([...namesFor(path), ...(image ? [image] : [])])],
    preview: ({ prompt, path }) => title(`Make an image ${path ?? "…"}${prompt ? `: ${truncate(prompt, 200)}` : ""}`),
    plan: async (input, context) => {
      await sourceOf(input, context.host)
      const { path, prompt, image } = input
      return title(`${image ? `Change the image ${image}, as` : "Make an image,"} ${path}: ${truncate(prompt, 1000)}`)
    },
    async run(input, context) {
      if (!port) throw new ToolError("No images can be made here: no imageModel is set.")
      const image = await sourceOf(input, context.host)
      await mustBeKnown(input.path, context)
      const wish = { prompt: input.prompt, format: formatOf(input.path), ...(image && { image }) }
      const made = await port.make(wish, context.signal)
      context.signal.throwIfAborted()
      return save(input, made, context, port.seen?.() ?? false)
    },
  })
}

/** A name without an ending gets one; one with an ending may get another. */
function namesFor(path: string): string[] {
  const stem = path.replace(ENDING, "")
  const asked = ENDING.exec(path)?.[1]?.toLowerCase()
  const others = ["png", "jpg", "webp"].filter((ending) => ending !== asked && !(ending === "jpg" && asked === "jpeg"))
  return [...(asked ? [path] : []), ...others.map((ending) => `${stem}.${ending}`)]
}

function formatOf(path: string): Format {
  const asked = ENDING.exec(path)?.[1]?.toLowerCase()
  return asked === "jpg" || asked === "jpeg" ? "jpeg" : asked === "webp" ? "webp" : "png"
}

/** As the person wrote it where that is true, else with the ending of what came. */
function nameFor(path: string, format: string): string {
  const endings = ENDINGS[format] ?? []
  const asked = ENDING.exec(path)?.[1]?.toLowerCase()
  return asked && endings.includes(asked) ? path : `${path.replace(ENDING, "")}.${endings[0]}`
}

async function sourceOf({ image }: Input, host: Host): Promise<{ mediaType: string; bytes: Uint8Array } | undefined> {
  if (!image) return undefined
  const facts = await host.stat(image)
  if (facts && facts.size > MOST_INPUT_BYTES)
    throw new ToolError(`${image} has ${sizeWords(facts.size)}, too much for an image to change.`)
  const bytes = await host.readFile(image)
  const mediaType = mediaTypeOf(binaryKind(bytes) ?? "")
  if (!mediaType) throw new ToolError(`${image} is no PNG, JPEG, WebP or GIF image.`)
  return { mediaType, bytes }
}

/** Nothing is paid for that could not be saved then. */
async function mustBeKnown(path: string, { host, files }: ToolContext): Promise<void> {
  for (const name of namesFor(path)) {
    const facts = await host.stat(name)
    if (facts?.kind === "directory") throw new ToolError(`${name} is a folder; give another name.`)
    if (!facts || !files || facts.size > MOST_INPUT_BYTES) continue
    const outdated = files.outdated(name, await host.readFile(name))
    if (outdated)
      throw new ToolError(
        `${name} was changed${outdated.by ? ` by ${outdated.by}` : ""} since you last saw it; look at it first.`,
      )
  }
}

async function save(
  { path }: Input,
  { bytes, usage }: { bytes: Uint8Array; usage?: Usage },
  { host, files }: ToolContext,
  seen: boolean,
): Promise<ToolOutput> {
  const kind = binaryKind(bytes.subarray(0, 64)) ?? "text"
  const mediaType = mediaTypeOf(kind)
  const format = mediaType?.replace("image/", "") ?? ""
  if (!mediaType || !Object.hasOwn(ENDINGS, format)) {
    throw new ToolError(`The image model answered with no image that can be saved, but ${kind}. Nothing was written.`)
  }
  const name = nameFor(path, format)
  await host.writeFile(name, bytes)
  files?.learn(name, bytes)
  const facts = `${kind}${dimensions(kind, bytes)}, ${sizeWords(bytes.length)}`
  const renamed = name === path ? "" : ` It is not named ${path}, because of its kind.`
  const text = `Saved ${name} (${facts}).${renamed}`
  const shown = seen && bytes.length <= MOST_IMAGE_BYTES
  return {
    say: shown
      ? [
          { type: "text", text },
          { type: "image", mediaType, data: base64(bytes) },
        ]
      : text,
    show: title(`Saved ${name} (${facts})`),
    ...(usage && { spent: { usage, tools: {} } }),
  }
}

function title(text: string): Show {
  return { kind: "title", text }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")
}
