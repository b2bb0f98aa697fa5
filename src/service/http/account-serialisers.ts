/** Serialisers of accounts, applications, keys and deliveries, for the operator's API and the console. They never contain a key or its hash. */
import type { AccountRecord, ApplicationRecord, KeyCalls, KeySummary } from '../store/accounts.ts'
import type { DeadLetter } from '../store/dead-letters.ts'
import type { KeyRecord } from '../store/keys.ts'
import type { DeliveryRecord, PeopleList } from '../store/people.ts'
import { regionOf } from '../store/regions.ts'

const iso = (ms: number) => new Date(ms).toISOString()

export function serialiseAccount(record: AccountRecord) {
  const { accountId, name, plan, state, createdAt, storageBytes } = record
  const region = regionOf(accountId)
  const view = { account_id: accountId, name, plan, state, ...(region && { region }), created_at: iso(createdAt) }
  return storageBytes === undefined ? view : { ...view, storage_bytes: storageBytes }
}

export const serialiseApplication = (application: ApplicationRecord) => ({
  application_id: application.applicationId,
  name: application.name,
  environment: application.environment,
  plan: application.plan,
  created_at: iso(application.createdAt),
})

export function serialiseKey(key: { summary: KeySummary; record: KeyRecord; lastUsedAt?: number }) {
  const { summary, record, lastUsedAt } = key
  const expired = record.state === 'active' && record.expiresAt !== undefined && record.expiresAt <= Date.now()
  return {
    key_id: summary.keyId,
    masked: summary.masked,
    ...(summary.name === undefined ? {} : { name: summary.name }),
    created_at: iso(summary.createdAt),
    plan: record.plan,
    scopes: record.scopes,
    state: record.suspended ? 'disabled' : expired ? 'expired' : record.state,
    ...(record.state === 'disabled' ? { disabled_by: record.disabledBy ?? 'operator' } : {}),
    ...(record.expiresAt === undefined ? {} : { expires_at: iso(record.expiresAt) }),
    ...(record.requestsPerMinute === undefined ? {} : { requests_per_minute: record.requestsPerMinute }),
    ...(lastUsedAt === undefined ? {} : { last_used_at: iso(lastUsedAt) }),
  }
}

export const serialiseCalls = ({ key, application, calls }: KeyCalls) => ({
  ...(key === undefined ? {} : { key_id: key.keyId, masked: key.masked }),
  ...(key?.name === undefined ? {} : { name: key.name }),
  ...(application === undefined ? {} : { application }),
  api_calls: calls,
})

export const serialiseDeadLetter = ({ taskId, step, part, queue, at }: DeadLetter) => ({
  task_id: taskId,
  step,
  ...(part === undefined ? {} : { part }),
  queue,
  at: iso(at),
})

export const serialiseDelivery = (delivery: DeliveryRecord) => ({
  kind: delivery.kind,
  task_id: 'taskId' in delivery ? delivery.taskId : null,
  message_id: delivery.messageId,
  url: delivery.url,
  attempt: delivery.attempt,
  at: iso(delivery.at),
  status: delivery.status,
  ms: delivery.ms,
  ...(delivery.error ? { error: delivery.error } : {}),
  ...(delivery.answer ? { answer: delivery.answer } : {}),
})

/** @param you id of the person who sends the request */
export function serialisePeople({ people, invitations }: PeopleList, you?: string) {
  return {
    people: people.map(({ userId, name, role, createdAt, passkeys, sessions }) => ({
      user_id: userId,
      name,
      role,
      created_at: iso(createdAt),
      ...(you === undefined ? {} : { you: userId === you }),
      passkeys: passkeys.map(({ id, madeAt, usedAt }) => ({
        passkey_id: id,
        ...(madeAt === undefined ? {} : { created_at: iso(madeAt) }),
        ...(usedAt === undefined ? {} : { last_used_at: iso(usedAt) }),
      })),
      sessions: sessions.map(({ id, openedAt, expiresAt, current }) => ({
        session_id: id,
        created_at: iso(openedAt),
        expires_at: iso(expiresAt),
        current,
      })),
    })),
    invitations: invitations.map(({ id, name, role, expiresAt }) => ({ invitation_id: id, name, role, expires_at: iso(expiresAt) })),
  }
}
