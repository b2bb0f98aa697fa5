import { RpcTarget } from 'cloudflare:workers'
import { hex } from '../src/core/bytes/hex.ts'
import type { ListedPasskey, ListedSession, Passkey, PeopleApi, PeopleList, Person, Role } from '../src/service/store/people.ts'
import type { ChallengeTable } from './challenge-table.ts'
import { randomText } from './random-text.ts'
import { migrate } from './schema.ts'

const INVITATION_MS = 7 * 86_400_000
const SESSION_MS = 12 * 3_600_000
/**
 * Maximum number of sessions of one person. A new sign-in above it ends the oldest session, so that repeated sign-ins cannot fill the
 * storage.
 */
const MAX_SESSIONS = 100
/** Maximum number of open invitations of an account. */
const MAX_INVITATIONS = 200

const INITIAL_SCHEMA = `
  CREATE TABLE IF NOT EXISTS invitations (
    hash TEXT PRIMARY KEY, name TEXT NOT NULL, user_id TEXT NOT NULL, expires_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS people (user_id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS passkeys (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL, public_key BLOB NOT NULL, counter INTEGER NOT NULL, transports TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS sessions (hash TEXT PRIMARY KEY, user_id TEXT NOT NULL, expires_at INTEGER NOT NULL);
`

/**
 * Migration that adds `made_at` and `used_at`. Checks for the columns, because releases without counted migrations may have added them.
 */
function addTimes(sql: SqlStorage): void {
  const columns = [...sql.exec<{ name: string }>("SELECT name FROM pragma_table_info('passkeys')")].map(({ name }) => name)
  for (const column of ['made_at', 'used_at']) {
    if (!columns.includes(column)) sql.exec(`ALTER TABLE passkeys ADD COLUMN ${column} INTEGER`)
  }
}

/** Migration that adds roles. Existing people and invitations become `owner`, because they had all rights before. */
const ADD_ROLES = `
  ALTER TABLE people ADD COLUMN role TEXT NOT NULL DEFAULT 'owner';
  ALTER TABLE invitations ADD COLUMN role TEXT NOT NULL DEFAULT 'owner';
`

/** People who may manage the account in the console, in the SQLite storage of the Account object. */
export class PeopleTable extends RpcTarget implements PeopleApi {
  readonly #sql: SqlStorage
  readonly #challenges: ChallengeTable
  readonly #accountId: () => string

  constructor(storage: DurableObjectStorage, challenges: ChallengeTable, accountId: () => string) {
    super()
    this.#sql = storage.sql
    this.#challenges = challenges
    this.#accountId = accountId
    migrate(storage, 'people', [INITIAL_SCHEMA, addTimes, ADD_ROLES])
  }

  async invite(name: string, role: Role = 'owner') {
    const token = this.#token()
    const columns = 'hash, name, user_id, expires_at, role'
    const userId = `usr_${crypto.randomUUID().replaceAll('-', '')}`
    const values = [await sha256(token), name, userId, Date.now() + INVITATION_MS, role]
    this.#sql.exec(`INSERT INTO invitations (${columns}) VALUES (?, ?, ?, ?, ?)`, ...values)
    this.#sql.exec('DELETE FROM invitations WHERE expires_at <= ?', Date.now())
    this.#sql.exec(`DELETE FROM invitations WHERE rowid NOT IN (${newestRows('invitations')})`, MAX_INVITATIONS)
    return token
  }

  async openInvitation(token: string) {
    const hash = await sha256(token)
    const invitation = this.#findInvitation(hash)
    return invitation && { name: invitation.name, userId: invitation.userId, challenge: await this.#challenges.issue(hash) }
  }

  async answerInvitation(token: string) {
    const hash = await sha256(token)
    const challenge = await this.#challenges.take(hash)
    const invitation = this.#findInvitation(hash)
    return invitation && { name: invitation.name, userId: invitation.userId, ...(challenge === undefined ? {} : { challenge }) }
  }

  async acceptInvitation(token: string, passkey: Passkey) {
    const hash = await sha256(token)
    // No `await` in the rest of this method, so that its writes are stored together or not at all.
    const invitation = this.#findInvitation(hash)
    const { credentialId, userId, publicKey, counter, transports } = passkey
    if (invitation?.userId !== userId) return 'used'
    if ([...this.#sql.exec('SELECT 1 FROM passkeys WHERE id = ?', credentialId)].length > 0) return 'known_passkey'
    this.#sql.exec('DELETE FROM invitations WHERE hash = ?', hash)
    const person = [userId, invitation.name, Date.now(), invitation.role]
    this.#sql.exec('INSERT INTO people (user_id, name, created_at, role) VALUES (?, ?, ?, ?)', ...person)
    const columns = 'id, user_id, public_key, counter, transports, made_at'
    const values = [credentialId, userId, publicKey, counter, transports.join(), Date.now()]
    this.#sql.exec(`INSERT INTO passkeys (${columns}) VALUES (?, ?, ?, ?, ?, ?)`, ...values)
    return 'accepted'
  }

  #findInvitation(hash: string) {
    type Row = { name: string; user_id: string; role: Role }
    const query = 'SELECT name, user_id, role FROM invitations WHERE hash = ? AND expires_at > ?'
    const [row] = [...this.#sql.exec<Row>(query, hash, Date.now())]
    return row && { name: row.name, userId: row.user_id, role: row.role }
  }

  async passkey(credentialId: string): Promise<Passkey | undefined> {
    type Row = { id: string; user_id: string; public_key: ArrayBuffer; counter: number; transports: string }
    const [row] = [...this.#sql.exec<Row>('SELECT * FROM passkeys WHERE id = ?', credentialId)]
    if (!row) return undefined
    const transports = row.transports ? row.transports.split(',') : []
    return { credentialId: row.id, userId: row.user_id, publicKey: new Uint8Array(row.public_key), counter: row.counter, transports }
  }

  async countPasskeyUse(credentialId: string, counter: number) {
    this.#sql.exec('UPDATE passkeys SET counter = ?, used_at = ? WHERE id = ?', counter, Date.now(), credentialId)
  }

  async openSession(userId: string) {
    const token = this.#token()
    this.#sql.exec('DELETE FROM sessions WHERE expires_at <= ?', Date.now())
    this.#sql.exec(
      'INSERT INTO sessions (hash, user_id, expires_at) VALUES (?, ?, ?)',
      await sha256(token),
      userId,
      Date.now() + SESSION_MS,
    )
    const own = newestRows('sessions WHERE user_id = ?')
    this.#sql.exec(`DELETE FROM sessions WHERE user_id = ? AND rowid NOT IN (${own})`, userId, userId, MAX_SESSIONS)
    return token
  }

  async session(token: string): Promise<Person | undefined> {
    type Row = { user_id: string; name: string; created_at: number; role: Role }
    const query = 'SELECT people.* FROM sessions JOIN people USING (user_id) WHERE hash = ? AND expires_at > ?'
    const [row] = [...this.#sql.exec<Row>(query, await sha256(token), Date.now())]
    return row && { userId: row.user_id, name: row.name, createdAt: row.created_at, role: row.role }
  }

  async closeSession(token: string) {
    this.#sql.exec('DELETE FROM sessions WHERE hash = ?', await sha256(token))
  }

  // ── Lists and removals of people, passkeys, sessions and invitations ───────────────────────────────────────────

  async list(token?: string): Promise<PeopleList> {
    const current = token === undefined ? '' : await sha256(token)
    const now = Date.now()
    type Row = { user_id: string; name: string; created_at: number; role: Role }
    const people = [...this.#sql.exec<Row>('SELECT * FROM people ORDER BY created_at')].map((row) => ({
      userId: row.user_id,
      name: row.name,
      createdAt: row.created_at,
      role: row.role,
      passkeys: this.#passkeys(row.user_id),
      sessions: this.#sessions(row.user_id, now, current),
    }))
    type Invitation = { hash: string; name: string; expires_at: number; role: Role }
    const invitations = this.#sql.exec<Invitation>('SELECT * FROM invitations WHERE expires_at > ? ORDER BY expires_at', now)
    const listed = [...invitations].map(({ hash, name, role, expires_at }) => ({ id: idOf(hash), name, role, expiresAt: expires_at }))
    return { people, invitations: listed }
  }

  #passkeys(userId: string): ListedPasskey[] {
    type Row = { id: string; made_at: number | null; used_at: number | null }
    return [...this.#sql.exec<Row>('SELECT id, made_at, used_at FROM passkeys WHERE user_id = ? ORDER BY made_at', userId)].map((row) => ({
      id: row.id,
      ...(row.made_at === null ? {} : { madeAt: row.made_at }),
      ...(row.used_at === null ? {} : { usedAt: row.used_at }),
    }))
  }

  #sessions(userId: string, now: number, current: string): ListedSession[] {
    type Row = { hash: string; expires_at: number }
    const query = 'SELECT hash, expires_at FROM sessions WHERE user_id = ? AND expires_at > ? ORDER BY expires_at'
    return [...this.#sql.exec<Row>(query, userId, now)].map(({ hash, expires_at }) => ({
      id: idOf(hash),
      openedAt: expires_at - SESSION_MS,
      expiresAt: expires_at,
      current: hash === current,
    }))
  }

  async removePerson(userId: string) {
    for (const table of ['sessions', 'passkeys']) this.#sql.exec(`DELETE FROM ${table} WHERE user_id = ?`, userId)
    return this.#deleteRows('people WHERE user_id = ?', userId)
  }

  async setRole(userId: string, role: Role) {
    return this.#sql.exec('UPDATE people SET role = ? WHERE user_id = ?', role, userId).rowsWritten > 0
  }

  async removePasskey(id: string, token?: string) {
    const current = token === undefined ? '' : await sha256(token)
    const owner = '(SELECT user_id FROM passkeys WHERE id = ?)'
    this.#sql.exec(`DELETE FROM sessions WHERE hash <> ? AND user_id = ${owner}`, current, id)
    return this.#deleteRows('passkeys WHERE id = ?', id)
  }

  async endSession(id: string) {
    return this.#deleteRows(`sessions WHERE substr(hash, 1, ${ID_LENGTH}) = ?`, id)
  }

  async removeInvitation(id: string) {
    return this.#deleteRows(`invitations WHERE substr(hash, 1, ${ID_LENGTH}) = ?`, id)
  }

  #deleteRows(what: string, id: string): boolean {
    return [...this.#sql.exec(`DELETE FROM ${what} RETURNING 1`, id)].length > 0
  }

  /** Returns a new token `<account id>.<random>`. The account id lets the edge Worker find the right Account object. */
  #token() {
    return `${this.#accountId()}.${randomText(32)}`
  }
}

const newestRows = (of: string) => `SELECT rowid FROM ${of} ORDER BY rowid DESC LIMIT ?`

/** Number of leading characters of a token's SHA-256 that serve as public id of a session or invitation. */
const ID_LENGTH = 24
const idOf = (hash: string) => hash.slice(0, ID_LENGTH)

async function sha256(text: string): Promise<string> {
  return hex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}
