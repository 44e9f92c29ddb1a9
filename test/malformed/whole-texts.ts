/** Argument texts of which a call comes although they look odd, as data: some do not fit the tool, the others run. */
import type { JsonObject } from "../../src/types/json.ts"

/** A call comes of it, but not one that fits the tool. */
export interface Misfit {
  name: string
  text: string
  input: JsonObject
  /** What the model is told, one line for each. */
  problems: string[]
}

/** A call comes of it, and it runs. */
export interface Fitting {
  name: string
  text: string
  input: JsonObject
  /** What stands in the file then. */
  content: string
  /** What the next request has in its place, where no server would take the input itself. */
  sent?: JsonObject
}

const BOTH = { path: "b.txt", content: "B" }
const BOTH_MISSING = ["`path`: expected string, got nothing", "`content`: expected string, got nothing"]

export const misfits: readonly Misfit[] = [
  {
    name: "wrong types",
    text: '{"path": ["array", "instead", "of", "string"], "file_text": 12345}',
    input: { path: ["array", "instead", "of", "string"], file_text: 12345 },
    problems: ["`path`: expected string, got array of 4 items", "`file_text`: expected string, got number 12345"],
  },
  {
    name: "a missing argument and one that does not exist",
    text: '{"path": "b.txt", "contents": "B"}',
    input: { path: "b.txt", contents: "B" },
    problems: ["`content`: expected string, got nothing", "`contents`: no such argument; known are `path`, `content`"],
  },
  {
    name: "A1: no text at all",
    text: "",
    input: {},
    problems: BOTH_MISSING,
  },
  {
    name: "A3: null instead of an object",
    text: "null",
    input: {},
    problems: BOTH_MISSING,
  },
  {
    name: "A14: a required argument that is null",
    text: '{"path": "b.txt", "content": null}',
    input: { path: "b.txt", content: null },
    problems: ["`content`: expected string, got null"],
  },
  {
    name: "a __proto__ key in the place of arguments",
    text: '{"__proto__": {"path": "b.txt", "content": "B"}}',
    input: JSON.parse('{"__proto__": {"path": "b.txt", "content": "B"}}'),
    problems: [...BOTH_MISSING, "`__proto__`: no such argument"],
  },
]

export const fitting: readonly Fitting[] = [
  {
    name: "duplicate keys, of which the last wins",
    text: '{"path": "c.txt", "content": "C", "path": "b.txt", "content": "B"}',
    input: BOTH,
    content: "B",
  },
  {
    name: "A5: an object encoded twice",
    text: JSON.stringify('{"path": "b.txt", "content": "B"}'),
    input: BOTH,
    content: "B",
  },
  {
    name: "white space around everything",
    text: '\r\n\t { "path" : "b.txt" ,\n "content" : "B" } \n\n',
    input: BOTH,
    content: "B",
  },
  {
    name: "a __proto__ key beside the arguments",
    text: '{"path": "b.txt", "__proto__": {"path": "c.txt"}, "content": "B"}',
    input: JSON.parse('{"path": "b.txt", "__proto__": {"path": "c.txt"}, "content": "B"}'),
    content: "B",
  },
  {
    name: "every escape there is",
    text: '{"path": "b.txt", "content": "\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"}',
    input: { path: "b.txt", content: '"\\/\b\f\n\r\té😀' },
    content: '"\\/\b\f\n\r\té😀',
  },
  {
    name: "A7: a string that looks like JSON",
    text: '{"path": "b.txt", "content": "{\\"a\\": [1, 2"}',
    input: { path: "b.txt", content: '{"a": [1, 2' },
    content: '{"a": [1, 2',
  },
  {
    name: "a NUL, written as an escape",
    text: '{"path": "b.txt", "content": "zero \\u0000"}',
    input: { path: "b.txt", content: "zero \u0000" },
    content: "zero \u0000",
    sent: { path: "b.txt", content: "zero \ufffd" },
  },
  {
    name: "half a surrogate pair, written as an escape",
    text: '{"path": "b.txt", "content": "half \\ud83d"}',
    input: { path: "b.txt", content: "half \ud83d" },
    content: "half \ufffd",
    sent: { path: "b.txt", content: "half \ufffd" },
  },
]
