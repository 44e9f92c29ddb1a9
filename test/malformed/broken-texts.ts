/**
 * What models send instead of a JSON object, as data: the argument text of one call to write_to_file, and what must come of it.
 * The first four are the scenarios of the seed documents; the fifth, wrong types, is JSON and stands with the whole texts.
 */
import type { JsonObject } from "../../src/types/json.ts"

/** No call comes of it. */
export interface BrokenText {
  name: string
  /** The text up to the first character that no JSON could have there, and the rest. Without a rest the text merely ends. */
  before: string
  rest?: string
  /** In the words the model gets. */
  problem: string
  /** What could be read: people see it, and it stands for the call in the next request. */
  read: JsonObject
  /** The argument that was still being written where the text breaks. */
  unfinished?: string
}

export function textOf({ before, rest = "" }: BrokenText): string {
  return before + rest
}

const BOTH = { path: "b.txt", content: "B" }
const WRONG_START = "(text is written in double quotes; the only words are true, false and null)"

export const brokenTexts: readonly BrokenText[] = [
  {
    name: "a missing closing brace",
    before: '{"path": "b.txt", "content": "B"',
    problem: "the text ends before an object is closed",
    read: BOTH,
  },
  {
    name: "an extra closing brace",
    before: '{"path": "b.txt", "content": "B"}',
    rest: "}",
    problem: "the value is complete, but more text follows: }",
    read: BOTH,
  },
  {
    name: "a bad escape",
    before: '{"path": "b.txt", "content": "C:\\',
    rest: 'dir"}',
    problem: "a backslash cannot stand before d; a backslash itself is written as \\\\",
    read: { path: "b.txt", content: "C:" },
    unfinished: "content",
  },
  {
    name: "random text",
    before: "",
    rest: "asdfghjkl12345!@#$%",
    problem: `a value was expected, got a ${WRONG_START}`,
    read: {},
  },
  {
    name: "a text cut in a key",
    before: '{"path": "b.txt", "cont',
    problem: "the text ends inside a key",
    read: { path: "b.txt" },
  },
  {
    name: "a text cut in an escape",
    before: '{"path": "b.txt", "content": "one\\',
    problem: "the text ends inside a string",
    read: { path: "b.txt", content: "one" },
    unfinished: "content",
  },
  {
    name: "a text cut in a hexadecimal escape",
    before: '{"path": "b.txt", "content": "one\\u00',
    problem: "the text ends inside a string",
    read: { path: "b.txt", content: "one" },
    unfinished: "content",
  },
  {
    name: "a text cut in a number",
    before: '{"path": "b.txt", "content": "B", "line_count": 12',
    problem: "the text ends inside a number",
    read: BOTH,
    unfinished: "line_count",
  },
  {
    name: "a text cut in a literal",
    before: '{"path": "b.txt", "content": "B", "append": tru',
    problem: "the text ends inside a word",
    read: BOTH,
    unfinished: "append",
  },
  {
    name: "a text cut between the escapes of a surrogate pair",
    before: '{"path": "b.txt", "content": "smile \\ud83d',
    problem: "the text ends inside a string",
    read: { path: "b.txt", content: "smile " },
    unfinished: "content",
  },
  {
    name: "a text cut between the halves of a surrogate pair",
    before: '{"path": "b.txt", "content": "smile \ud83d',
    problem: "the text ends inside a string",
    read: { path: "b.txt", content: "smile " },
    unfinished: "content",
  },
  {
    name: "a text cut after a colon",
    before: '{"path": "b.txt", "content":',
    problem: "the text ends after a colon",
    read: { path: "b.txt" },
    unfinished: "content",
  },
  {
    name: "a text cut after a comma",
    before: '{"path": "b.txt",',
    problem: "the text ends after a comma",
    read: { path: "b.txt" },
  },
  {
    name: "a text cut in a nested list",
    before: '{"path": "b.txt", "content": ["one", {"two',
    problem: "the text ends inside a key",
    read: { path: "b.txt", content: ["one", {}] },
    unfinished: "content",
  },
  {
    name: "two objects",
    before: '{"path": "b.txt", "content": "B"}',
    rest: '{"path": "c.txt", "content": "C"}',
    problem: "the value is complete, but more text follows: {",
    read: BOTH,
  },
  {
    name: "an array instead of an object",
    before: "",
    rest: '[{"path": "b.txt", "content": "B"}]',
    problem: "an object was expected, got an array",
    read: {},
  },
  {
    name: "a string instead of an object",
    before: "",
    rest: '"Please write B to b.txt"',
    problem: "an object was expected, got a string",
    read: {},
  },
  {
    name: "a number instead of an object",
    before: "",
    rest: "42",
    problem: "an object was expected, got a number",
    read: {},
  },
  {
    name: "a word instead of an object",
    before: "",
    rest: "true",
    problem: "an object was expected, got true",
    read: {},
  },
  {
    name: "a comment",
    before: '{"path": "b.txt", ',
    rest: '// the file\n "content": "B"}',
    problem: "a key in double quotes was expected, got / (JSON has no comments)",
    read: { path: "b.txt" },
  },
  {
    name: "single quotes",
    before: "{",
    rest: "'path': 'b.txt', 'content': 'B'}",
    problem: "a key in double quotes or } was expected, got ' (strings are written in double quotes)",
    read: {},
  },
  {
    name: "keys without quotes",
    before: "{",
    rest: 'path: "b.txt", content: "B"}',
    problem: "a key in double quotes or } was expected, got p",
    read: {},
  },
  {
    name: "a trailing comma",
    before: '{"path": "b.txt", "content": "B",',
    rest: "}",
    problem: "a comma must not stand directly before }",
    read: BOTH,
  },
  {
    name: "a missing comma",
    before: '{"path": "b.txt" ',
    rest: '"content": "B"}',
    problem: 'a comma or } was expected after the value, got a double quote (a double quote inside a string is written as \\")',
    read: { path: "b.txt" },
  },
  {
    name: "NaN",
    before: '{"path": "b.txt", "content": ',
    rest: "NaN}",
    problem: `a value was expected, got N ${WRONG_START}`,
    read: { path: "b.txt" },
    unfinished: "content",
  },
  {
    name: "a Python None",
    before: '{"path": "b.txt", "content": ',
    rest: "None}",
    problem: `a value was expected, got N ${WRONG_START}`,
    read: { path: "b.txt" },
    unfinished: "content",
  },
  {
    name: "a number with a zero in front",
    before: '{"path": "b.txt", "content": "B", "line_count": 0',
    rest: "1}",
    problem: "a number has a 0 too many in front",
    read: BOTH,
    unfinished: "line_count",
  },
  {
    name: "a byte order mark",
    before: "",
    rest: '\ufeff{"path": "b.txt", "content": "B"}',
    problem: "a value was expected, got U+FEFF (a byte order mark must not be sent)",
    read: {},
  },
  {
    name: "an unescaped line break in a string",
    before: '{"path": "b.txt", "content": "one',
    rest: '\ntwo"}',
    problem: "a line break inside a string must be written as \\n",
    read: { path: "b.txt", content: "one" },
    unfinished: "content",
  },
  {
    name: "a control character in a string",
    before: '{"path": "b.txt", "content": "ring',
    rest: '\u0007\u001b[2J"}',
    problem: "U+0007 inside a string must be written as an escape",
    read: { path: "b.txt", content: "ring" },
    unfinished: "content",
  },
  {
    name: "a NUL between two arguments",
    before: '{"path": "b.txt",',
    rest: '\u0000"content": "B"}',
    problem: "a key in double quotes was expected, got U+0000",
    read: { path: "b.txt" },
  },
  {
    name: "unescaped quotes in a string",
    before: '{"path": "b.txt", "content": "say "',
    rest: 'hi" twice"}',
    problem: 'a comma or } was expected after the value, got h (a double quote inside a string is written as \\")',
    read: { path: "b.txt", content: "say " },
  },
  {
    name: "A10: Python triple quotes",
    before: '{"path": "b.txt", "content": ""',
    rest: '"print("hi")\n"""}',
    problem: 'a comma or } was expected after the value, got a double quote (a double quote inside a string is written as \\")',
    read: { path: "b.txt", content: "" },
  },
  {
    name: "A11: parameters in tags, one of them not closed",
    before: "",
    rest: "<parameter=path>b.txt</parameter><parameter=content>B",
    problem: "a value was expected, got <",
    read: {},
  },
  {
    name: "a web page",
    before: "",
    rest: "<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>",
    problem: "a value was expected, got <",
    read: {},
  },
  {
    name: "an object in a code fence",
    before: "",
    rest: '```json\n{"path": "b.txt", "content": "B"}\n```',
    problem: "a value was expected, got ` (the object itself is wanted, without a code fence)",
    read: {},
  },
  {
    name: "a __proto__ key in a text that is cut",
    before: '{"__proto__": {"content": "evil"}, "path": "b.txt", "constructor": {"prototype": {"polluted": true',
    problem: "the text ends with 3 brackets still open",
    read: JSON.parse('{"__proto__": {"content": "evil"}, "path": "b.txt", "constructor": {"prototype": {"polluted": true}}}'),
    unfinished: "constructor",
  },
]
