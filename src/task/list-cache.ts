/**
 * What the logs tell for the list of tasks, kept in SQLite with a full-text index. Only a cache: it brings itself up to date when it is
 * opened, begins anew when it is damaged or of another version, and whoever cannot have it reads the logs instead.
 */
import { closeSync, openSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { DatabaseSyncInstance } from "@photostructure/sqlite"
import { LogError } from "./log.ts"
import { CacheDamage, problemOf, readRow, type TaskHead, type TaskRow } from "./read-task.ts"
import { searchableTexts } from "./search-log.ts"
import { taskFiles } from "./store.ts"
import type { TaskSource } from "./task-list.ts"

/** Raised when what is kept changes its shape or its meaning. */
const VERSION = 1
const BUSY_MS = 500
const BATCH = 500
/** Of one task, in characters: more than anybody says. */
const MOST_TEXT = 4_000_000
/** Below this the index knows nothing; such words are looked for in the logs. */
const SHORTEST_WORD = 3

const SCHEMA = `
  CREATE TABLE task (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, changed REAL NOT NULL,
    head TEXT, row TEXT, problem TEXT
  );
  CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, tokenize='trigram');
  PRAGMA user_version = ${VERSION};
`

/** undefined: it cannot be had here. Brought up to date with the logs of these tasks. */
export async function openListCache(home: string, ids: readonly string[]): Promise<TaskSource | undefined> {
  const path = join(home, "tasks.sqlite")
  try {
    const { DatabaseSync: Database } = await import("@photostructure/sqlite")
    for (const isLast of [false, true]) {
      let database: DatabaseSyncInstance | undefined
      try {
        database = openDatabase(Database, path)
        return sourceOf(database, update(database, home, ids), path)
      } catch (error) {
        close(database)
        if (isLast || isBusy(error)) return undefined
        remove(path)
      }
    }
  } catch {} // no such module for this machine, or no place to write
  return undefined
}

function openDatabase(Database: typeof import("@photostructure/sqlite").DatabaseSync, path: string): DatabaseSyncInstance {
  closeSync(openSync(path, "a", 0o600)) // what SQLite puts beside it gets the same rights
  const database = new Database(path, { timeout: BUSY_MS })
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")
    const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number }
    if (version === 0) inTransaction(database, () => isEmpty(database) && database.exec(SCHEMA))
    else if (version !== VERSION) throw new Error("of another version")
    return database
  } catch (error) {
    close(database)
    throw error
  }
}

/** Another process may have made it meanwhile. */
function isEmpty(database: DatabaseSyncInstance): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined
}

function inTransaction(database: DatabaseSyncInstance, act: () => void): void {
  database.exec("BEGIN IMMEDIATE")
  try {
    act()
    database.exec("COMMIT")
  } catch (error) {
    database.exec("ROLLBACK")
    throw error
  }
}

interface Known {
  number: number
  id: string
  size: number
  changed: number
  head: string | null
  problem: string | null
}

function knownIn(database: DatabaseSyncInstance): Known[] {
  return database.prepare("SELECT number, id, size, changed, head, problem FROM task").all() as Known[]
}

/** A log only grows: one that has the same size and time is the same. */
function update(database: DatabaseSyncInstance, home: string, ids: readonly string[]): Known[] {
  const rows = knownIn(database)
  const known = new Map(rows.map((row) => [row.id, row]))
  const changed = ids.flatMap((id) => {
    const { size, mtimeMs } = statSync(taskFiles(home, id).log, { throwIfNoEntry: false }) ?? { size: -1, mtimeMs: 0 }
    const before = known.get(id)
    known.delete(id)
    return before?.size === size && before.changed === mtimeMs ? [] : [{ id, size, changed: mtimeMs, number: before?.number }]
  })
  for (let at = 0; at < changed.length; at += BATCH) {
    inTransaction(database, () => {
      for (const task of changed.slice(at, at + BATCH)) keep(database, home, task)
    })
  }
  if (changed.length === 0 && known.size === 0) return rows
  inTransaction(database, () => {
    for (const { number } of known.values()) forget(database, number)
  })
  return knownIn(database)
}

function keep(
  database: DatabaseSyncInstance,
  home: string,
  task: Pick<Known, "id" | "size" | "changed"> & { number: number | undefined },
): void {
  const { id, size, changed, number } = task
  if (number !== undefined) forget(database, number)
  const read = readForCache(taskFiles(home, id).log)
  const insert = database.prepare("INSERT OR REPLACE INTO task (id, size, changed, head, row, problem) VALUES (?, ?, ?, ?, ?, ?)")
  const { lastInsertRowid } = insert.run(id, size, changed, read.head, read.row, read.problem)
  if (read.text !== "") database.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)").run(lastInsertRowid, read.text)
}

function forget(database: DatabaseSyncInstance, number: number): void {
  database.prepare("DELETE FROM words WHERE rowid = ?").run(number)
  database.prepare("DELETE FROM task WHERE number = ?").run(number)
}

type Kept = Record<"head" | "row" | "problem", string | null> & { text: string }

/** It may have grown since it was looked at: then it is read again the next time. */
function readForCache(log: string): Kept {
  try {
    const bytes = readFileSync(log)
    const row = readRow(bytes, log)
    const { workspace, at, parent, forkedFrom } = row
    const head: TaskHead = { workspace, at, ...(parent !== undefined && { parent }), ...(forkedFrom && { forkedFrom }) }
    const text = searchableTexts(bytes.toString("utf8")).join("\n").slice(0, MOST_TEXT)
    return { head: JSON.stringify(head), row: JSON.stringify(row), problem: null, text }
  } catch (error) {
    return { head: null, row: null, problem: problemOf(error), text: "" }
  }
}

function sourceOf(database: DatabaseSyncInstance, known: readonly Known[], path: string): TaskSource {
  const heads = new Map(known.map((row) => [row.id, row]))
  const rowOf = database.prepare("SELECT row FROM task WHERE id = ?")
  /** Whatever is wrong with a cache, it goes. */
  function undamaged<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      close(database)
      remove(path)
      throw new CacheDamage(error instanceof Error ? error.message : String(error))
    }
  }
  return {
    head(id) {
      const { head = null, problem = null } = heads.get(id) ?? {}
      if (head === null) throw new LogError(problem ?? "It has no log.")
      return undamaged(() => JSON.parse(head) as TaskHead)
    },
    row: (id) => undamaged(() => JSON.parse((rowOf.get(id) as { row: string }).row) as TaskRow),
    holding(words) {
      if (words.some((word) => [...word].length < SHORTEST_WORD)) return undefined
      const phrases = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(" AND ")
      const query = "SELECT id FROM task WHERE number IN (SELECT rowid FROM words WHERE words MATCH ?)"
      const found = undamaged(() => database.prepare(query).all(phrases))
      return new Set((found as unknown as { id: string }[]).map(({ id }) => id))
    },
    close: () => close(database),
  }
}

/** Somebody else brings it up to date right now. */
function isBusy(error: unknown): boolean {
  return /database is (?:locked|busy)/i.test(error instanceof Error ? error.message : "")
}

function remove(path: string): void {
  for (const ending of ["", "-wal", "-shm"]) rmSync(`${path}${ending}`, { force: true })
}

function close(database: DatabaseSyncInstance | undefined): void {
  try {
    database?.close()
  } catch {}
}
