/** The people of an account, who manage it in the console: invitations, passkeys, sessions. Part of the Account's face. */

/** A passkey as it is kept (WebAuthn Level 3, 6.1 and 6.5): nothing in it is secret. */
export interface Passkey {
  /** Base64url. */
  readonly credentialId: string
  readonly userId: string
  /** COSE key. */
  readonly publicKey: Uint8Array<ArrayBuffer>
  readonly counter: number
  readonly transports: readonly string[]
}

/**
 * What a person may do, each what those before may: look; send and delete files, test and repeat callbacks; manage applications, keys, the
 * signing secret and people below owners; everything, also make owners.
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

/** Who can get in, and how. Ids are of no use for that. */
export interface PeopleList {
  readonly people: readonly ListedPerson[]
  /** Not used yet. */
  readonly invitations: readonly { readonly id: string; readonly name: string; readonly role: Role; readonly expiresAt: number }[]
}

export interface ListedPerson extends Person {
  readonly passkeys: readonly ListedPasskey[]
  readonly sessions: readonly ListedSession[]
}

export interface ListedPasskey {
  readonly id: string
  /** Epoch milliseconds; absent for passkeys that were made, or not used since, before that was kept. */
  readonly madeAt?: number
  readonly usedAt?: number
}

export interface ListedSession {
  readonly id: string
  readonly openedAt: number
  readonly expiresAt: number
  /** It is the one that asks. */
  readonly current: boolean
}

/** Challenges of passkeys (WebAuthn Level 3, 13.4.3): kept for five minutes, gone when they are answered. */
export interface ChallengeFace {
  /** A fresh challenge for `holder`, in place of the one it had. Base64url. */
  issue(holder: string): Promise<string>
  /** The holder's challenge, once. */
  take(holder: string): Promise<string | undefined>
}

/** Secrets of people are tokens `<account>.<random>`; only their SHA-256 is kept. */
export interface PeopleFace {
  /** A token that lets one person in, once, within 7 days; an owner, if nothing else is said. */
  invite(name: string, role?: Role): Promise<string>
  /** The invited name, with a fresh challenge for the passkey's registration. undefined: used, expired, or never given. */
  openInvitation(token: string): Promise<{ name: string; userId: string; challenge: string } | undefined>
  /** The same with the challenge that was given last, which is gone afterwards. No challenge: five minutes have passed, or it was used. */
  answerInvitation(token: string): Promise<{ name: string; userId: string; challenge?: string } | undefined>
  /** Uses the invitation up, unless the passkey is somebody's already. `used`: somebody was faster. */
  acceptInvitation(token: string, passkey: Passkey): Promise<'accepted' | 'used' | 'known_passkey'>
  passkey(credentialId: string): Promise<Passkey | undefined>
  countPasskeyUse(credentialId: string, counter: number): Promise<void>
  /** A token for the session's cookie. */
  openSession(userId: string): Promise<string>
  session(token: string): Promise<Person | undefined>
  closeSession(token: string): Promise<void>
  /** `token`: the session that asks. */
  list(token?: string): Promise<PeopleList>
  /** With passkeys and sessions. false: nobody has that id; so below. */
  removePerson(userId: string): Promise<boolean>
  setRole(userId: string, role: Role): Promise<boolean>
  /** Ends its person's sessions as well, but that of `token`. */
  removePasskey(id: string, token?: string): Promise<boolean>
  endSession(id: string): Promise<boolean>
  removeInvitation(id: string): Promise<boolean>
}

/** One delivery, as the console lists it: of a task's callback, of an alert, or of a test that somebody asked for. */
export type DeliveryRecord = DeliveryFacts & ({ readonly kind: 'task'; readonly taskId: string } | { readonly kind: 'alert' | 'test' })

interface DeliveryFacts {
  readonly messageId: string
  readonly url: string
  readonly attempt: number
  /** Epoch milliseconds. */
  readonly at: number
  /** HTTP status, or 0 when no answer came. */
  readonly status: number
  readonly ms: number
  readonly error?: string
  readonly answer?: string
}
