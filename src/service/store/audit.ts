/** Audit log entries: who changed keys, applications, people or secrets of an account. They never contain a key, token or secret. */

export interface Action {
  /** Time of the action in epoch milliseconds. */
  readonly at: number
  /** Actor: a person of the account, or the operator of the service. */
  readonly by: { readonly kind: 'person'; readonly userId: string; readonly name: string } | { readonly kind: 'operator' }
  readonly what: ActionName
  /** Id of the object that was changed: `key_…`, `app_…`, `usr_…`, `acc_…`, or the id of a session, passkey or invitation. */
  readonly to?: string
  /** Name of the object at that time: its display name or a masked key. */
  readonly called?: string
  /** Parameters of the request that caused the action, without secrets. */
  readonly asked?: Readonly<Record<string, unknown>>
  readonly requestId: string
}

export type ActionName =
  | `${'application' | 'key'}.${'created' | 'changed' | 'removed'}`
  | 'key.reset'
  | `connection.${'saved' | 'removed'}`
  | 'secret.rotated'
  | 'secret.read'
  | 'alerts.changed'
  | `person.${'invited' | 'joined' | 'signed_in' | 'changed' | 'removed'}`
  | `${'passkey' | 'session' | 'invitation'}.removed`
  | `account.${'created' | 'changed' | 'imported'}`

export interface AuditPage {
  /** Actions of this page, newest first. */
  readonly actions: readonly Action[]
  /** Cursor of the next page. `undefined`: this is the last page. */
  readonly before?: number
}
