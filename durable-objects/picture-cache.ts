import {
  MAX_PICTURES,
  type PicturePath,
  type PictureSource,
  type PictureVariant,
  SOURCE_MS,
  USE_MS,
  VARIANT_MS,
} from '../src/service/store/pictures.ts'
import { migrate } from './schema.ts'

const INITIAL_SCHEMA = `
  CREATE TABLE pictures (
    key TEXT PRIMARY KEY, kind TEXT NOT NULL, origin TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, used_at INTEGER NOT NULL,
    until INTEGER NOT NULL, fresh_until INTEGER NOT NULL, record TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX pictures_by_path ON pictures (origin, path);
  CREATE INDEX pictures_by_use ON pictures (kind, used_at);
`
/** Most pictures that one call forgets. */
const MAX_REMOVED = 1000

type Kind = 'source' | 'variant'

interface Sum {
  bytes: number
  count: number
}

interface Row extends Record<string, SqlStorageValue> {
  key: string
  kind: Kind
  size: number
  used_at: number
  until: number
  fresh_until: number
  record: string
}

const sourceKey = ({ origin, path }: PicturePath) => `source:${origin}/${path}`

/** Sources and variants that an account keeps, in SQLite. The bytes are blobs; callers delete those that are forgotten here. */
export class PictureCache {
  readonly #storage: DurableObjectStorage
  readonly #mostBytes: () => number
  /** Bytes and number of all sources and variants. `undefined`: not counted since the object started. */
  #sums: Record<Kind, Sum> | undefined

  /** @param mostBytes returns the bytes of variants that the account may keep, and the bytes of sources */
  constructor(storage: DurableObjectStorage, mostBytes: () => number) {
    this.#storage = storage
    this.#mostBytes = mostBytes
  }

  get #sql(): SqlStorage {
    migrate(this.#storage, 'pictures', [INITIAL_SCHEMA])
    return this.#storage.sql
  }

  /** Returns a variant and whether it must be compared with its origin, and notes the use. */
  variant(key: string, now: number): { readonly variant: PictureVariant; readonly isStale: boolean } | undefined {
    const row = this.#find(key)
    if (row?.kind !== 'variant' || row.until <= now) return undefined
    this.#noteUse(row, now)
    return { variant: JSON.parse(row.record) as PictureVariant, isStale: row.fresh_until <= now }
  }

  source(picture: PicturePath, now: number): PictureSource | undefined {
    const row = this.#find(sourceKey(picture))
    if (row?.kind !== 'source' || row.until <= now) return undefined
    return JSON.parse(row.record) as PictureSource
  }

  keepSource(source: PictureSource, now: number): string[] {
    return this.#keep(sourceKey(source), 'source', source, { now, until: now + SOURCE_MS, freshUntil: now + SOURCE_MS })
  }

  keepVariant(variant: PictureVariant, now: number, freshUntil: number): string[] {
    return this.#keep(variant.key, 'variant', variant, { now, until: now + VARIANT_MS, freshUntil })
  }

  noteFresh(key: string, freshUntil: number): void {
    this.#sql.exec('UPDATE pictures SET fresh_until = ? WHERE key = ?', freshUntil, key)
  }

  drop(key: string): string[] {
    const row = this.#find(key)
    return row ? this.#remove([row]).blobs : []
  }

  /** Forgets pictures of an origin, or of one path there. Returns their blobs, and the number of variants. */
  purge(origin: string, path: string | undefined): { blobs: string[]; variants: number } {
    const found =
      path === undefined
        ? this.#sql.exec<Row>('SELECT * FROM pictures WHERE origin = ? LIMIT ?', origin, MAX_REMOVED)
        : this.#sql.exec<Row>('SELECT * FROM pictures WHERE origin = ? AND path = ? LIMIT ?', origin, path, MAX_REMOVED)
    return this.#remove([...found])
  }

  #keep(
    key: string,
    kind: Kind,
    record: PictureSource | PictureVariant,
    { now, until, freshUntil }: { readonly now: number; readonly until: number; readonly freshUntil: number },
  ): string[] {
    const replaced = this.#find(key)
    const { blobs } = replaced ? this.#remove([replaced]) : { blobs: [] }
    const sum = this.#total()[kind]
    const { origin, path, size } = record
    const insert =
      'INSERT INTO pictures (key, kind, origin, path, size, used_at, until, fresh_until, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'
    this.#sql.exec(insert, key, kind, origin, path, size, now, until, freshUntil, JSON.stringify(record))
    sum.bytes += size
    sum.count++
    return [...blobs, ...this.#removeExpired(now), ...this.#makeSpace(key, kind)]
  }

  #removeExpired(now: number): string[] {
    const expired = this.#sql.exec<Row>("SELECT * FROM pictures WHERE kind = 'source' AND used_at <= ? LIMIT 100", now - SOURCE_MS)
    return this.#remove([...expired]).blobs
  }

  /** Forgets the least recently used pictures until the others fit. The newest one stays, because its maker is about to send it. */
  #makeSpace(newest: string, kind: Kind): string[] {
    const sum = this.#total()[kind]
    const blobs: string[] = []
    while (sum.count > 1 && (sum.bytes > this.#mostBytes() || sum.count > MAX_PICTURES)) {
      const oldest = [...this.#sql.exec<Row>('SELECT * FROM pictures WHERE kind = ? AND key <> ? ORDER BY used_at LIMIT 20', kind, newest)]
      if (oldest.length === 0) break
      for (const row of oldest) {
        if (sum.bytes <= this.#mostBytes() && sum.count <= MAX_PICTURES) break
        for (const blob of this.#remove([row]).blobs) blobs.push(blob)
      }
    }
    return blobs
  }

  #remove(rows: readonly Row[]): { blobs: string[]; variants: number } {
    const sums = this.#total()
    for (const { key, kind, size } of rows) {
      this.#sql.exec('DELETE FROM pictures WHERE key = ?', key)
      sums[kind].bytes -= size
      sums[kind].count--
    }
    const blobs = rows.map(({ record }) => (JSON.parse(record) as PictureSource | PictureVariant).blob)
    return { blobs, variants: rows.filter(({ kind }) => kind === 'variant').length }
  }

  #find(key: string): Row | undefined {
    return [...this.#sql.exec<Row>('SELECT * FROM pictures WHERE key = ?', key)][0]
  }

  #noteUse({ key, used_at }: Row, now: number): void {
    if (used_at > now - USE_MS) return
    this.#sql.exec('UPDATE pictures SET used_at = ? WHERE key = ?', now, key)
  }

  #total(): Record<Kind, Sum> {
    if (this.#sums) return this.#sums
    const sums: Record<Kind, Sum> = { source: { bytes: 0, count: 0 }, variant: { bytes: 0, count: 0 } }
    const counted = 'SELECT kind, SUM(size) AS bytes, COUNT(*) AS count FROM pictures GROUP BY kind'
    for (const { kind, bytes, count } of this.#sql.exec<{ kind: Kind; bytes: number; count: number }>(counted))
      sums[kind] = { bytes, count }
    this.#sums = sums
    return sums
  }
}
