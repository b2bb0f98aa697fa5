/** Who did what to an account: to its keys, applications, persons and secrets. Never a key, a token or a secret. */

export interface Action {
  /** Epoch milliseconds. */
  readonly at: number
  /** A person of the account, or the operator of the service. */
  readonly by: { readonly kind: 'person'; readonly userId: string; readonly name: string } | { readonly kind: 'operator' }
  readonly what: ActionName
  /** Id of what it was done to: `key_…`, `app_…`, `usr_…`, `acc_…`, or of a session, passkey, invitation. */
  readonly to?: string
  /** What it was called then: a name, or a masked key. */
  readonly called?: string
  /** What was asked for, as far as it is no secret. */
  readonly asked?: Readonly<Record<string, unknown>>
  readonly requestId: string
}

export type ActionName =
  | `${'application' | 'key'}.${'created' | 'changed' | 'removed'}`
  | 'key.reset'
  | 'secret.rotated'
  | 'secret.read'
  | 'alerts.changed'
  | `person.${'invited' | 'joined' | 'signed_in' | 'changed' | 'removed'}`
  | `${'passkey' | 'session' | 'invitation'}.removed`
  | `account.${'created' | 'changed' | 'imported'}`

export interface AuditPage {
  /** Newest first. */
  readonly actions: readonly Action[]
  /** Where the next page begins; absent on the last. */
  readonly before?: number
}
