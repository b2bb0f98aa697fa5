import { MAX_TOKENS, type UploadToken } from '../src/service/store/upload-tokens.ts'
import { migrate } from './schema.ts'

/**
 * Tokens, and the files that they were used for. `settled` is 1 for a file that has become a task. Other files are claims: their task or
 * upload is being created, or their upload is not complete.
 */
const INITIAL_SCHEMA = `
  CREATE TABLE tokens (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL, token TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX tokens_by_end ON tokens (expires_at);
  CREATE TABLE token_files (
    token_id TEXT NOT NULL, task_id TEXT NOT NULL, at INTEGER NOT NULL, settled INTEGER NOT NULL, PRIMARY KEY (token_id, task_id)
  ) WITHOUT ROWID;
`
/** Time in milliseconds that an expired token stays, for requests that began before it expired. */
const KEPT_MS = 15 * 60_000
/** Expired tokens that are deleted for each new one. */
const DELETED_PER_TOKEN = 10
/** Age in milliseconds from which a claim without a task is doubted. The call that creates a task takes seconds. */
const DOUBTED_MS = 60_000
/** Most claims that are doubted at a time. */
const MAX_DOUBTED = 20

/** Browser tokens of one key, in the SQLite storage of its KeyGate object. Tables exist only for keys that have made a token. */
export class TokenTable {
  readonly #storage: DurableObjectStorage
  /** Number of stored tokens. `undefined`: not counted since the object started. */
  #count: number | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  get #sql(): SqlStorage {
    migrate(this.#storage, 'tokens', [INITIAL_SCHEMA])
    return this.#storage.sql
  }

  get #exists(): boolean {
    return this.#storage.kv.get('schema/tokens') !== undefined
  }

  /** Returns `false`, without a change, if the key has too many tokens. */
  add(token: UploadToken, now: number): boolean {
    const sql = this.#sql
    this.#count ??= sql.exec<{ tokens: number }>('SELECT COUNT(*) AS tokens FROM tokens').one().tokens
    this.#deleteExpired(now)
    if (this.find(token.id)) return true
    if (this.#count >= MAX_TOKENS) return false
    sql.exec('INSERT INTO tokens (id, expires_at, token) VALUES (?, ?, ?)', token.id, token.expiresAt, JSON.stringify(token))
    this.#count++
    return true
  }

  find(id: string): UploadToken | undefined {
    if (!this.#exists) return undefined
    const [row] = this.#sql.exec<{ token: string }>('SELECT token FROM tokens WHERE id = ?', id)
    return row && (JSON.parse(row.token) as UploadToken)
  }

  /** Number of files of a token: those that have become tasks, or with all claims. */
  files(tokenId: string, which: 'settled' | 'all'): number {
    const where = which === 'settled' ? ' AND settled = 1' : ''
    return this.#sql.exec<{ files: number }>(`SELECT COUNT(*) AS files FROM token_files WHERE token_id = ?${where}`, tokenId).one().files
  }

  /** Adds a claim. Returns `false`, without a change, if the token has no file left or is unknown. */
  claim(tokenId: string, taskId: string, now: number): boolean {
    const token = this.find(tokenId)
    if (!token) return false
    if ([...this.#sql.exec('SELECT 1 FROM token_files WHERE token_id = ? AND task_id = ?', tokenId, taskId)].length > 0) return true
    if (this.files(tokenId, 'all') >= token.maxFiles) return false
    this.#sql.exec('INSERT INTO token_files (token_id, task_id, at, settled) VALUES (?, ?, ?, 0)', tokenId, taskId, now)
    return true
  }

  settle(tokenId: string, taskId: string, end: 'used' | 'refused', now: number): void {
    if (!this.find(tokenId)) return
    if (end === 'refused') this.#sql.exec('DELETE FROM token_files WHERE token_id = ? AND task_id = ? AND settled = 0', tokenId, taskId)
    else this.#sql.exec('INSERT OR REPLACE INTO token_files (token_id, task_id, at, settled) VALUES (?, ?, ?, 1)', tokenId, taskId, now)
  }

  /** Tasks of old claims, whose request may have been interrupted. */
  doubted(tokenId: string, now: number): string[] {
    if (!this.#exists) return []
    const where = 'token_id = ? AND settled = 0 AND at < ? ORDER BY at LIMIT ?'
    const rows = this.#sql.exec<{ task_id: string }>(
      `SELECT task_id FROM token_files WHERE ${where}`,
      tokenId,
      now - DOUBTED_MS,
      MAX_DOUBTED,
    )
    return [...rows].map(({ task_id }) => task_id)
  }

  /** Deletes all tokens, because their key was deleted. */
  clear(): void {
    if (!this.#exists) return
    this.#sql.exec('DELETE FROM token_files')
    this.#sql.exec('DELETE FROM tokens')
    this.#count = 0
  }

  #deleteExpired(now: number): void {
    const expired = this.#sql.exec<{ id: string }>(
      'SELECT id FROM tokens WHERE expires_at < ? ORDER BY expires_at LIMIT ?',
      now - KEPT_MS,
      DELETED_PER_TOKEN,
    )
    for (const { id } of [...expired]) {
      this.#sql.exec('DELETE FROM token_files WHERE token_id = ?', id)
      this.#sql.exec('DELETE FROM tokens WHERE id = ?', id)
      this.#count!--
    }
  }
}
