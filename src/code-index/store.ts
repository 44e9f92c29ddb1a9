/**
 * The index on disk: SQLite with a full-text table that holds words and no text. What it throws is a HostError in one line,
 * or a DamageError when the file is no index any more: it is a cache, whoever opened it removes it and begins anew. Several
 * processes may use one file at a time.
 */
import { mkdirSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseSyncInstance as Database } from "@photostructure/sqlite"
import { HostError } from "../types/host.ts"
import { type Candidate, type Corpus, FIELDS, type Field } from "./rank.ts"

/** Raised when what is kept changes its form, or what passages and words are: an older file is built anew. */
const FORM = 1

export interface FileMark {
  /** Milliseconds; -1 when it was changed so short a time ago that a further change could look the same. */
  modifiedMs: number
  size: number
  hash: string
}

export interface IndexedPassage {
  first: number
  last: number
  kind?: string
  name?: string
  container?: string
  /** Words with spaces between, in each field. */
  words: Record<Field, readonly string[]>
}

export interface IndexedFile {
  path: string
  mark: FileMark
  weight: number
  passages: readonly IndexedPassage[]
}

export type StoreChange =
  | IndexedFile
  /** Its content is the same, only its mark is new. */
  | { path: string; mark: FileMark }
  | { path: string; remove: true }

export interface FoundPassage extends Candidate {
  first: number
  last: number
  container: string | null
}

export interface Store {
  marks(): Map<string, FileMark>
  /** All of them or none. */
  write(changes: readonly StoreChange[]): void
  /** Passages with any of these words, roughly the best first, below a folder or of one file where `path` is set. */
  find(words: readonly string[], options: { most: number; path?: string }): FoundPassage[]
  /** What ranking needs to know of these words in these passages. */
  corpus(words: readonly string[], found: readonly FoundPassage[]): Corpus
  counts(): { files: number; passages: number }
  close(): void
}

/** The file is no index any more. */
export class DamageError extends Error {}

export async function openStore(file: string): Promise<Store> {
  const { DatabaseSync } = await sqlite()
  return guarded(file, () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const database = new DatabaseSync(file, { timeout: 5000 })
    try {
      prepare(database)
      return storeOn(file, database)
    } catch (error) {
      database.close()
      throw error
    }
  })
}

export function removeStore(file: string): void {
  guarded(file, () => {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true })
  })
}

async function sqlite(): Promise<typeof import("@photostructure/sqlite")> {
  try {
    return await import("@photostructure/sqlite")
  } catch {
    throw new HostError("other", `Code search needs SQLite, which cannot be loaded on ${process.platform} ${process.arch}`)
  }
}

function prepare(database: Database): void {
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 33554432",
  )
  database.exec("BEGIN IMMEDIATE")
  const { user_version: form } = database.prepare("PRAGMA user_version").get()
  if (form !== FORM) {
    database.exec(`
      DROP TABLE IF EXISTS files; DROP TABLE IF EXISTS passages; DROP TABLE IF EXISTS words;
      CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, modified REAL NOT NULL, size INTEGER NOT NULL,
        hash TEXT NOT NULL, weight REAL NOT NULL);
      CREATE TABLE passages (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
        kind TEXT, name TEXT, container TEXT, ${FIELDS.map((field) => `${field}_length INTEGER NOT NULL`).join(", ")});
      CREATE INDEX passages_by_file ON passages (file);
      CREATE VIRTUAL TABLE words USING fts5(${FIELDS.join(", ")}, content='', contentless_delete=1, tokenize='ascii');
      PRAGMA user_version = ${FORM}`)
  }
  database.exec("COMMIT")
  database.exec("CREATE VIRTUAL TABLE temp.occurrences USING fts5vocab('main', 'words', 'instance')")
  database.exec("CREATE VIRTUAL TABLE temp.spread USING fts5vocab('main', 'words', 'row')")
}

function storeOn(file: string, database: Database): Store {
  const writing = writer(database)
  const lengths = FIELDS.map((field) => `p.${field}_length`).join(", ")
  const inFolder = "f.path = :path OR (f.path >= :path || '/' AND f.path < :path || '0')"
  const finding = (where: string) => `SELECT p.id, f.path, f.weight, p.first, p.last, p.kind, p.name, p.container, ${lengths}
    FROM words w JOIN passages p ON p.id = w.rowid JOIN files f ON f.id = p.file
    WHERE words MATCH :words ${where} ORDER BY bm25(words, 6, 1.5, 2, 1) LIMIT :most`
  return {
    marks: () =>
      guarded(file, () => {
        const rows: (FileMark & { path: string })[] = database
          .prepare("SELECT path, modified AS modifiedMs, size, hash FROM files")
          .all()
        return new Map(rows.map(({ path, ...mark }) => [path, mark]))
      }),
    write: (changes) => guarded(file, () => writing(changes)),
    find: (words, { most, path }) =>
      guarded(file, () => {
        const match = words.map((word) => `"${word}"`).join(" OR ")
        const statement = database.prepare(finding(path === undefined ? "" : `AND (${inFolder})`))
        return statement.all({ words: match, most, ...(path !== undefined && { path }) }).map(foundPassage)
      }),
    corpus: (words, found) => guarded(file, () => corpusOf(database, words, found)),
    counts: () => guarded(file, () => count(database)),
    close: () => close(database),
  }
}

/** What others still read keeps its log; else everything is in the one file when this process lets go of it. */
function close(database: Database): void {
  if (!database.isOpen) return
  try {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  } catch {
    // busy, full or damaged: whoever opens it next deals with that
  }
  database.close()
}

function writer(database: Database): (changes: readonly StoreChange[]) => void {
  const idOf = database.prepare("SELECT id FROM files WHERE path = ?")
  const addFile = database.prepare("INSERT INTO files (path, modified, size, hash, weight) VALUES (?, ?, ?, ?, ?)")
  const markFile = database.prepare("UPDATE files SET modified = ?, size = ?, hash = ? WHERE path = ?")
  const removeFile = database.prepare("DELETE FROM files WHERE id = ?")
  const removeWords = database.prepare("DELETE FROM words WHERE rowid IN (SELECT id FROM passages WHERE file = ?)")
  const removePassages = database.prepare("DELETE FROM passages WHERE file = ?")
  const addPassage = database.prepare(
    `INSERT INTO passages (file, first, last, kind, name, container, ${FIELDS.map((field) => `${field}_length`).join(", ")})
     VALUES (?, ?, ?, ?, ?, ?, ${FIELDS.map(() => "?").join(", ")})`,
  )
  const addWords = database.prepare(
    `INSERT INTO words (rowid, ${FIELDS.join(", ")}) VALUES (?, ${FIELDS.map(() => "?").join(", ")})`,
  )

  function remove(path: string): void {
    const known = idOf.get(path)
    if (!known) return
    removeWords.run(known.id)
    removePassages.run(known.id)
    removeFile.run(known.id)
  }

  function add({ path, mark, weight, passages }: IndexedFile): void {
    remove(path)
    const { lastInsertRowid: id } = addFile.run(path, mark.modifiedMs, mark.size, mark.hash, weight)
    for (const { first, last, kind = null, name = null, container = null, words } of passages) {
      const counts = FIELDS.map((field) => words[field].length)
      const { lastInsertRowid } = addPassage.run(id, first, last, kind, name, container, ...counts)
      addWords.run(lastInsertRowid, ...FIELDS.map((field) => words[field].join(" ")))
    }
  }

  return (changes) => {
    database.exec("BEGIN IMMEDIATE")
    try {
      for (const change of changes) {
        if ("remove" in change) remove(change.path)
        else if ("passages" in change) add(change)
        else markFile.run(change.mark.modifiedMs, change.mark.size, change.mark.hash, change.path)
      }
      database.exec("COMMIT")
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK")
      throw error
    }
  }
}

interface FoundRow {
  [column: string]: number | string | null
}

function foundPassage(row: FoundRow): FoundPassage {
  const text = (column: string) => (row[column] === null ? null : String(row[column]))
  const name = text("name")
  return {
    id: Number(row["id"]),
    path: String(row["path"]),
    weight: Number(row["weight"]),
    first: Number(row["first"]),
    last: Number(row["last"]),
    kind: text("kind"),
    name,
    container: text("container"),
    lengths: byField((field) => Number(row[`${field}_length`])),
  }
}

function corpusOf(database: Database, words: readonly string[], found: readonly FoundPassage[]): Corpus {
  const { passages, ...averages } = database
    .prepare(`SELECT count(*) AS passages, ${FIELDS.map((field) => `avg(${field}_length) AS ${field}`).join(", ")} FROM passages`)
    .get()
  const spreadOf = database.prepare("SELECT doc FROM temp.spread WHERE term = ?")
  const ids = JSON.stringify(found.map(({ id }) => id))
  const occurrencesOf = database.prepare(
    `SELECT doc, col, count(*) AS times FROM temp.occurrences
     WHERE term = ? AND doc IN (SELECT value FROM json_each(?)) GROUP BY doc, col`,
  )
  const spread = new Map<string, number>()
  const times = new Map<string, number>()
  for (const word of words) {
    spread.set(word, spreadOf.get(word)?.doc ?? 0)
    for (const row of occurrencesOf.all(word, ids)) times.set(`${word} ${row.doc} ${row.col}`, row.times)
  }
  return {
    passages,
    averages: byField((field) => averages[field] ?? 0),
    spread: (word) => spread.get(word) ?? 0,
    occurs: (word, id, field) => times.get(`${word} ${id} ${field}`) ?? 0,
  }
}

function count(database: Database): { files: number; passages: number } {
  const { files, passages } = database
    .prepare("SELECT (SELECT count(*) FROM files) AS files, (SELECT count(*) FROM passages) AS passages")
    .get()
  return { files, passages }
}

function byField(value: (field: Field) => number): Record<Field, number> {
  return { name: value("name"), place: value("place"), doc: value("doc"), body: value("body") }
}

const CORRUPT = 11
const FULL = 13
const CANNOT_OPEN = 14
const NO_DATABASE = 26
const BUSY = 5
const READ_ONLY = 8
const INPUT_OUTPUT = 10

/** What SQLite and the system say, as one line or as damage. */
function guarded<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw storeProblem(error, file)
  }
}

/** Reading row by row, SQLite's own number for what went wrong is not handed on, only its words. */
const BY_WORDS: readonly [RegExp, number][] = [
  [/malformed|no such (?:table|column)/, CORRUPT],
  [/file is not a database/, NO_DATABASE],
  [/disk is full/, FULL],
  [/database (?:table )?is locked/, BUSY],
  [/readonly database/, READ_ONLY],
  [/disk I\/O error/, INPUT_OUTPUT],
  [/unable to open database/, CANNOT_OPEN],
]

function codeOf(error: Error): number | undefined {
  const code = "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : undefined
  return code !== undefined && code > 1 ? code : BY_WORDS.find(([words]) => words.test(error.message))?.[1]
}

/** One line that a person can act on, or damage; what is neither passes unchanged. */
export function storeProblem(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || error instanceof HostError || error instanceof DamageError) return error
  const code = codeOf(error)
  const errno = "code" in error && typeof error.code === "string" ? error.code : ""
  if (code === CORRUPT || code === NO_DATABASE) return new DamageError(error.message)
  if (code === FULL || ["ENOSPC", "EDQUOT"].includes(errno)) {
    const words = "The code index cannot be written: the disk is full"
    return new HostError("no-space", `${words} (${file}). Free some space, or search with a regular expression`)
  }
  if (code === CANNOT_OPEN || code === READ_ONLY || ["EACCES", "EROFS", "ENOTDIR", "EEXIST"].includes(errno)) {
    return new HostError("no-access", `The code index cannot be opened for writing: ${file}`)
  }
  if (code === BUSY) return new HostError("other", `The code index is in use by another process; try again: ${file}`)
  if (code === INPUT_OUTPUT) return new HostError("other", `The disk reported an error at the code index: ${file}`)
  return error
}
