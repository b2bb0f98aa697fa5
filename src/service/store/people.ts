/** People who manage an account in the console, with their invitations, passkeys and sessions. Part of the RPC interface of Account. */

/** A stored passkey (WebAuthn Level 3, 6.1 and 6.5). It contains no secret. */
export interface Passkey {
  /** Credential id in base64url. */
  readonly credentialId: string
  readonly userId: string
  /** Public key as a COSE key. */
  readonly publicKey: Uint8Array<ArrayBuffer>
  readonly counter: number
  readonly transports: readonly string[]
}

/**
 * Rights of a person; each role includes the roles before it.
 * `viewer`: read. `member`: send and delete files, test and repeat callbacks. `admin`: manage applications, keys, the webhook secret and
 * people below owners. `owner`: everything.
 */
export type Role = (typeof ROLES)[number]
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const
export const isAtLeast = (role: Role, least: Role) => ROLES.indexOf(role) >= ROLES.indexOf(least)

export interface Person {
  readonly userId: string
  readonly name: string
  readonly createdAt: number
  readonly role: Role
}

/** People, passkeys, sessions and invitations of an account. The ids in it cannot be used to sign in. */
export interface PeopleList {
  readonly people: readonly ListedPerson[]
  /** Invitations that are not accepted yet. */
  readonly invitations: readonly { readonly id: string; readonly name: string; readonly role: Role; readonly expiresAt: number }[]
}

export interface ListedPerson extends Person {
  readonly passkeys: readonly ListedPasskey[]
  readonly sessions: readonly ListedSession[]
}

export interface ListedPasskey {
  readonly id: string
  /** Time in epoch milliseconds at which the passkey was created. `undefined`: created before this field existed. */
  readonly madeAt?: number
  /** Time of the last use in epoch milliseconds. `undefined`: not used since this field exists. */
  readonly usedAt?: number
}

export interface ListedSession {
  readonly id: string
  readonly openedAt: number
  readonly expiresAt: number
  /** True for the session that requests the list. */
  readonly current: boolean
}

/** WebAuthn challenges (WebAuthn Level 3, 13.4.3): valid for five minutes and deleted when they are answered. */
export interface ChallengeApi {
  /** Creates a WebAuthn challenge for `holder`, replacing the previous one. Returns it in base64url. */
  issue(holder: string): Promise<string>
  /** Returns the WebAuthn challenge of `holder` and deletes it. `undefined`: none, or expired. */
  take(holder: string): Promise<string | undefined>
}

/** People of an account. Their secrets are tokens `<account>.<random>`, stored only as SHA-256. */
export interface PeopleApi {
  /** Creates an invitation for one person and returns its token: single-use, valid for 7 days. Default role: owner. */
  invite(name: string, role?: Role): Promise<string>
  /** Returns the invited name and a new challenge for registering a passkey. `undefined`: the invitation is used, expired or unknown. */
  openInvitation(token: string): Promise<{ name: string; userId: string; challenge: string } | undefined>
  /** Like `openInvitation`, but returns the last challenge and deletes it. No `challenge`: it has expired or was used. */
  answerInvitation(token: string): Promise<{ name: string; userId: string; challenge?: string } | undefined>
  /**
   * Accepts an invitation and stores the passkey. `used`: the invitation was accepted before. `known_passkey`: the passkey belongs to a
   * person already.
   */
  acceptInvitation(token: string, passkey: Passkey): Promise<'accepted' | 'used' | 'known_passkey'>
  passkey(credentialId: string): Promise<Passkey | undefined>
  countPasskeyUse(credentialId: string, counter: number): Promise<void>
  /** Opens a session and returns its token for the cookie. */
  openSession(userId: string): Promise<string>
  session(token: string): Promise<Person | undefined>
  closeSession(token: string): Promise<void>
  /**
   * Lists all people, passkeys, sessions and invitations of the account.
   * @param token token of the requesting session
   */
  list(token?: string): Promise<PeopleList>
  /** Removes a person with all passkeys and sessions. Returns `false` if the id is unknown. */
  removePerson(userId: string): Promise<boolean>
  setRole(userId: string, role: Role): Promise<boolean>
  /** Removes a passkey and ends all sessions of its person except that of `token`. Returns `false` if the id is unknown. */
  removePasskey(id: string, token?: string): Promise<boolean>
  endSession(id: string): Promise<boolean>
  removeInvitation(id: string): Promise<boolean>
}

/** One webhook delivery in the console's list: a task callback, a result for its destination, a storage alert, or a test. */
export type DeliveryRecord = DeliveryFacts &
  ({ readonly kind: 'task' | 'destination'; readonly taskId: string } | { readonly kind: 'alert' | 'test' })

interface DeliveryFacts {
  readonly messageId: string
  readonly url: string
  readonly attempt: number
  /** Time of the delivery in epoch milliseconds. */
  readonly at: number
  /** HTTP status of the receiver's response. 0: no response. */
  readonly status: number
  readonly ms: number
  readonly error?: string
  readonly answer?: string
}
