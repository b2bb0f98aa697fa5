import { RpcTarget } from 'cloudflare:workers'
import { type ConnectionsApi, MAX_CONNECTIONS, type StoredConnection } from '../src/service/store/connections.ts'

const PREFIX = 'connection/'

/** Bucket connections of an account, one stored value each. Their credentials arrive encrypted. */
export class ConnectionTable extends RpcTarget implements ConnectionsApi {
  readonly #kv: SyncKvStorage

  constructor(kv: SyncKvStorage) {
    super()
    this.#kv = kv
  }

  async list() {
    return [...this.#kv.list<StoredConnection>({ prefix: PREFIX, limit: MAX_CONNECTIONS })].map(([, connection]) => connection)
  }

  async find(name: string) {
    return this.#kv.get<StoredConnection>(PREFIX + name)
  }

  async put(connection: StoredConnection) {
    const key = PREFIX + connection.name
    const isNew = this.#kv.get(key) === undefined
    if (isNew && [...this.#kv.list({ prefix: PREFIX, limit: MAX_CONNECTIONS })].length >= MAX_CONNECTIONS) return false
    this.#kv.put(key, connection)
    return true
  }

  async remove(name: string) {
    return this.#kv.delete(PREFIX + name)
  }
}
