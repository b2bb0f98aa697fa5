import { RpcTarget } from 'cloudflare:workers'
import type { ChallengeApi } from '../src/service/store/people.ts'
import { randomText } from './random-text.ts'

/** Lifetime of a WebAuthn challenge, in milliseconds. WebAuthn Level 3, 13.4.3: challenges are random and single-use, and expire. */
const CHALLENGE_MS = 5 * 60_000
/**
 * Maximum number of stored challenges. Sign-in is open to anybody, so a flood deletes the oldest challenges instead of filling the storage.
 */
const MAX_CHALLENGES = 65_536

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS challenges (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, holder TEXT NOT NULL UNIQUE, challenge TEXT NOT NULL, expires_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS challenges_by_end ON challenges (expires_at);
`

/** WebAuthn challenges that were issued and not answered yet, in the SQLite storage of an Account object. */
export class ChallengeTable extends RpcTarget implements ChallengeApi {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    super()
    this.#sql = sql
    sql.exec(SCHEMA)
  }

  async issue(holder: string): Promise<string> {
    const now = Date.now()
    const challenge = randomText(32)
    this.#sql.exec('DELETE FROM challenges WHERE expires_at <= ?', now)
    const values = [holder, challenge, now + CHALLENGE_MS]
    this.#sql.exec('INSERT OR REPLACE INTO challenges (holder, challenge, expires_at) VALUES (?, ?, ?)', ...values)
    this.#sql.exec('DELETE FROM challenges WHERE seq <= (SELECT MAX(seq) FROM challenges) - ?', MAX_CHALLENGES)
    return challenge
  }

  async take(holder: string): Promise<string | undefined> {
    type Row = { challenge: string; expires_at: number }
    const query = 'DELETE FROM challenges WHERE holder = ? RETURNING challenge, expires_at'
    const [row] = [...this.#sql.exec<Row>(query, holder)]
    return row && row.expires_at > Date.now() ? row.challenge : undefined
  }
}
