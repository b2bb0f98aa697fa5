/** Audit log of an account: records what a person or the operator changed. Routes declare the action; this file adds the object and the actor. */
import type { Action, ActionName, AuditPage } from '../store/audit.ts'
import { isTestAccount } from '../store/test-accounts.ts'
import type { AppContext } from './context.ts'

/** Request fields that the audit log repeats. Keys, tokens and secrets are never among them. */
const ASKED = [
  'name',
  'environment',
  'plan',
  'state',
  'scopes',
  'role',
  'expires_at',
  'requests_per_minute',
  'grace_seconds',
  'at',
  'day',
  'url',
]

/** Fields of an answer that identify the changed object. */
interface Told {
  readonly key_id?: string
  readonly application_id?: string
  readonly account_id?: string
  readonly user_id?: string
  readonly id?: string
  readonly masked?: string
  readonly name?: string
}

/** Records an action after it succeeded. Refused requests are not recorded. */
export async function noteAction(c: AppContext, what: ActionName, answer: Response): Promise<void> {
  const told: Told = answer.status === 204 ? {} : ((await answer.clone().json()) as Told)
  const accountId = c.get('home') ?? c.get('key')?.accountId ?? c.req.param('account_id') ?? told.account_id
  if (accountId === undefined) return
  const person = c.get('person')
  const to = told.key_id ?? told.application_id ?? told.user_id ?? told.id ?? c.req.param('key_id') ?? told.account_id
  const called = told.masked ?? told.name ?? c.req.param('name')
  const body = c.get('asked') ?? {}
  const fields = Object.fromEntries(ASKED.flatMap((name) => (body[name] === undefined ? [] : [[name, shown(name, body[name])]])))
  const asked = isTestAccount(c.get('key')?.accountId ?? '') ? { ...fields, test: true } : fields
  const action: Action = {
    at: Date.now(),
    by: person ? { kind: 'person', userId: person.userId, name: person.name } : { kind: 'operator' },
    what,
    ...(to === undefined ? {} : { to }),
    ...(called === undefined ? {} : { called }),
    ...(Object.keys(asked).length > 0 ? { asked } : {}),
    requestId: c.get('requestId'),
  }
  await c.env.ACCOUNTS.getByName(accountId).noteAction(action)
}

/** Request schemas parse times to milliseconds since 1970; the log stores ISO 8601. */
const shown = (name: string, value: unknown) => (name.endsWith('at') && typeof value === 'number' ? new Date(value).toISOString() : value)

export const serialiseAuditPage = ({ actions, before }: AuditPage) => ({
  actions: actions.map(({ at, by, what, to, called, asked, requestId }) => ({
    at: new Date(at).toISOString(),
    by: by.kind === 'operator' ? { kind: 'operator' } : { kind: 'person', user_id: by.userId, name: by.name },
    action: what,
    ...(to === undefined ? {} : { to }),
    ...(called === undefined ? {} : { called }),
    ...(asked === undefined ? {} : { asked }),
    request_id: requestId,
  })),
  next_cursor: before === undefined ? null : String(before),
})

const PAGE = 100

/** @param cursor `next_cursor` of the previous page */
export const auditPage = (c: AppContext, accountId: string) => {
  const cursor = Number(c.req.query('cursor'))
  return c.env.ACCOUNTS.getByName(accountId).actions(PAGE, cursor > 0 ? cursor : undefined)
}
