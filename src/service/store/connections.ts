/** Connections: named buckets of an account, with credentials that are stored encrypted. */

/** Most connections of an account. */
export const MAX_CONNECTIONS = 20

/** Settings without secrets, as the API shows them: those of `src/service/buckets/settings.ts`. */
export type ShownConnection =
  | {
      readonly type: 's3'
      readonly endpoint: string
      readonly region: string
      readonly bucket: string
      /** First and last characters of the id. */
      readonly accessKeyId: string
      readonly pathStyle: boolean
    }
  | { readonly type: 'azure'; readonly endpoint: string; readonly container: string; readonly accountName: string }

export interface StoredConnection {
  readonly name: string
  readonly shown: ShownConnection
  /** All settings as JSON, encrypted under the Worker secret for this account and name. */
  readonly sealed: Uint8Array
  /** Time of the last change in epoch milliseconds. */
  readonly savedAt: number
}

/** A connection of an account. */
export interface ConnectionName {
  readonly accountId: string
  readonly name: string
}

export interface ConnectionsApi {
  /** Returns all connections, in order of their names. */
  list(): Promise<StoredConnection[]>
  /** `undefined`: there is none with this name. */
  find(name: string): Promise<StoredConnection | undefined>
  /** Stores a connection or replaces it. Returns `false` if the account has `MAX_CONNECTIONS` others. */
  put(connection: StoredConnection): Promise<boolean>
  /** Returns `false` if there is none with this name. */
  remove(name: string): Promise<boolean>
}
