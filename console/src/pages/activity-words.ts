/** Entries of the audit log as sentences. */
import type { Action } from '../api.ts'
import type { IconName } from '../icons.tsx'
import { dateTime, duration, t } from '../language.ts'
import { scopesText } from '../scopes.ts'

/** Sentences by action. Unknown actions are shown with the name that the service uses. */
const SENTENCES: Readonly<Record<string, string>> = {
  'application.created': '{who} created the application {what}.',
  'application.changed': '{who} changed the application {what}.',
  'application.removed': '{who} deleted the application {what}.',
  'key.created': '{who} created the key {what}.',
  'key.changed': '{who} changed the key {what}.',
  'key.disabled': '{who} disabled the key {what}.',
  'key.enabled': '{who} enabled the key {what}.',
  'key.reset': '{who} reset the key {what}.',
  'key.removed': '{who} deleted the key {what}.',
  'connection.saved': '{who} saved the connection {what}.',
  'connection.removed': '{who} deleted the connection {what}.',
  'secret.rotated': '{who} changed the signing secret.',
  'secret.read': '{who} viewed the signing secret.',
  'alerts.changed': '{who} changed the address for alerts.',
  'person.invited': '{who} invited {what}.',
  'person.joined': '{who} joined.',
  'person.signed_in': '{who} signed in.',
  'person.changed': '{who} changed the role of {what}.',
  'person.removed': '{who} removed a person.',
  'passkey.removed': '{who} removed a passkey.',
  'session.removed': '{who} ended a session.',
  'invitation.removed': '{who} withdrew an invitation.',
  'account.created': '{who} created the account.',
  'account.changed': '{who} changed the account.',
  'account.imported': '{who} imported the account.',
}

const ICONS: Readonly<Record<string, IconName>> = {
  ...{ application: 'key-round', key: 'key-round', secret: 'lock', alerts: 'webhook', person: 'users' },
  ...{ passkey: 'fingerprint', session: 'timer', invitation: 'mail-open', account: 'settings-2', connection: 'database' },
}

/** An action with its kind of change: a change of the state of a key is a sentence of its own. */
function kindOf({ action, asked }: Action): string {
  if (action === 'key.changed' && asked?.['state'] === 'disabled') return 'key.disabled'
  if (action === 'key.changed' && asked?.['state'] === 'active') return 'key.enabled'
  return action
}

export const iconOf = (action: Action): IconName =>
  kindOf(action) === 'key.disabled' ? 'ban' : (ICONS[action.action.split('.')[0] ?? ''] ?? 'history')

interface Part {
  readonly text: string
  readonly isName: boolean
}

/** Marks around a name inside a translated sentence. They are no characters that people write. */
const [OPEN, CLOSE] = ['\u0001', '\u0002']

/** Names of applications and keys by id. */
export type Names = ReadonlyMap<string, string>

/** Name of what was changed: the one it was given, the one it has now, or what the log knows. */
function nameOf({ action, asked, called, to = '' }: Action, names: Names): string {
  const given = action.endsWith('.created') && typeof asked?.['name'] === 'string' ? asked['name'] : ''
  return given || names.get(to) || called || to
}

/** Parts of the sentence. Names are marked. */
export function sentenceOf(action: Action, names: Names): Part[] {
  const who = action.by.kind === 'person' ? action.by.name : t('The operator')
  const name = nameOf(action, names)
  const kind = kindOf(action)
  const sentence = SENTENCES[kind]
  const values = { who: `${OPEN}${who}${CLOSE}`, what: `${OPEN}${name}${CLOSE}` }
  const text = sentence === undefined ? `${values.who} ${kind} ${values.what}` : t(sentence, values)
  return text
    .split(new RegExp(`(${OPEN}[^${CLOSE}]*${CLOSE})`))
    .filter((part) => part !== '')
    .map((part) => (part.startsWith(OPEN) ? { text: part.slice(1, -1), isName: true } : { text: part, isName: false }))
}

type Words = (value: unknown) => string | undefined

/** What a request contained, in words. `undefined`: it says nothing that the sentence does not say. */
const FIELDS: Readonly<Record<string, Words>> = {
  name: () => undefined,
  state: () => undefined,
  application_id: () => undefined,
  role: (role) => t('Role: {role}', { role: t(String(role)) }),
  plan: (plan) => t('Plan: {plan}', { plan: String(plan) }),
  environment: (environment) => t('Environment: {name}', { name: String(environment) }),
  scopes: (scopes) => (Array.isArray(scopes) ? t('May: {scopes}', { scopes: scopesText(scopes.map(String)) }) : undefined),
  expires_at: (at) => (typeof at === 'string' ? t('Expires: {time}', { time: dateTime(at) }) : t('Never expires')),
  grace_seconds: (seconds) =>
    seconds === 0 ? t('The old key ended at once.') : t('The old key stays valid for {time}.', { time: duration(Number(seconds) * 1000) }),
  url: (url) => (url === null ? t('No address') : t('Address: {url}', { url: String(url) })),
}

/** Lines below the sentence: what was asked for, in words. */
export function detailsOf({ asked = {}, action, called }: Action): string[] {
  const renamed = action.endsWith('.changed') && typeof asked['name'] === 'string' && asked['name'] !== '' && asked['name'] !== called
  const lines = Object.entries(asked).map(([field, value]) =>
    field in FIELDS
      ? FIELDS[field]!(value)
      : `${field.replaceAll('_', ' ')}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  )
  return [...(renamed ? [t('New name: {name}', { name: String(asked['name']) })] : []), ...lines.filter((line) => line !== undefined)]
}
