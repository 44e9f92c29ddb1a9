/** A JSON value under construction: what the reader's events have told of it so far, always in a state that can be shown. */
import type { Json, JsonObject } from "../types/json.ts"
import type { JsonEvents } from "./events.ts"
import { append, clear, type GrowingText, growingText, whole } from "./growing-text.ts"

export interface GrowingValue {
  value: Json | undefined
  /** The open containers, outermost first. The innermost is also `record` or `list`; at the root both are undefined. */
  readonly open: (JsonObject | Json[])[]
  record: JsonObject | undefined
  list: Json[] | undefined
  /** Where in them the current value goes. */
  name: string
  index: number
  /** The text of the open string, and whether the string is in its place yet. */
  readonly string: GrowingText
  shown: boolean
}

export function growingValue(): GrowingValue {
  return {
    value: undefined,
    open: [],
    record: undefined,
    list: undefined,
    name: "",
    index: 0,
    string: growingText(),
    shown: true,
  }
}

/** The events that make it grow. */
export const GROW: JsonEvents<GrowingValue> = {
  openObject: (growing) => enter(growing, {}),
  openArray: (growing) => enter(growing, []),
  close(growing) {
    growing.open.pop()
    setInnermost(growing, growing.open[growing.open.length - 1])
  },
  key(growing, name) {
    growing.name = name
  },
  scalar: add,
  openString(growing) {
    if (growing.list !== undefined) growing.index = growing.list.length
    growing.shown = false
  },
  text(growing, piece) {
    append(growing.string, piece)
    show(growing)
  },
  closeString(growing) {
    if (!growing.shown) show(growing)
    clear(growing.string)
  },
}

/** Puts the open string in its place. Its events do so with the first text; a string that has none yet waits for this. */
export function show(growing: GrowingValue): void {
  growing.shown = true
  put(growing, whole(growing.string))
}

function enter(growing: GrowingValue, container: JsonObject | Json[]): void {
  add(growing, container)
  growing.open.push(container)
  setInnermost(growing, container)
}

function setInnermost(growing: GrowingValue, container: JsonObject | Json[] | undefined): void {
  const isList = Array.isArray(container)
  growing.list = isList ? container : undefined
  growing.record = isList ? undefined : container
}

function add(growing: GrowingValue, value: Json): void {
  if (growing.list !== undefined) growing.list.push(value)
  else put(growing, value)
}

function put(growing: GrowingValue, value: Json): void {
  const { record, list, name } = growing
  if (record !== undefined) {
    if (name === "__proto__") define(record, name, value)
    else record[name] = value
  } else if (list !== undefined) list[growing.index] = value
  else growing.value = value
}

/** To assign this name would set the prototype; in JSON it is a name like any other. */
function define(record: JsonObject, name: string, value: Json): void {
  Object.defineProperty(record, name, { value, writable: true, enumerable: true, configurable: true })
}
