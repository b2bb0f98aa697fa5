/** Management routes of the console: applications, keys, callbacks, current person. */

import * as z from 'zod'
import { outgoingRules } from '../../env.ts'
import { type ApiPlainCode, apiMessage } from '../../i18n/message.ts'
import type { UserKeyResult } from '../../store/accounts.ts'
import { SCOPES } from '../../store/keys.ts'
import { isAtLeast } from '../../store/people.ts'
import { PLANS, type PlanId } from '../../store/plans.ts'
import { ApiError, invalidParameter } from '../../tasks/api-error.ts'
import { egressSender } from '../../tasks/egress.ts'
import { deliverWebhook } from '../../tasks/notify.ts'
import { checkOutgoingUrl } from '../../tasks/outgoing-url.ts'
import { serialiseApplication, serialiseCalls, serialiseDelivery, serialiseKey } from '../account-serialisers.ts'
import { auditPage, serialiseAuditPage } from '../audit.ts'
import { readBody } from '../body.ts'
import type { AppContext } from '../context.ts'
import { json, type Route } from '../route.ts'
import { taskId } from '../schemas/common.ts'
import { cursorQuery, parseOrRefuse, usageQuery } from '../schemas/requests.ts'
import { authorizedTask } from '../task-access.ts'

const PLAN_ORDER = ['free', 'basic', 'pro', 'enterprise'] as const
const label = z.string().trim().min(1).max(100)
const plan = z.enum(PLAN_ORDER)
const scopes = z.array(z.enum(SCOPES)).min(1)
const expiry = z.iso.datetime().transform((text) => Date.parse(text))

const newApplication = z.strictObject({ name: label, environment: label, plan: plan.optional() })
const applicationChange = z.strictObject({ name: label.optional(), environment: label.optional(), plan: plan.optional() })
const newKey = z.strictObject({
  application_id: z.string().max(100),
  name: label.optional(),
  scopes: scopes.optional(),
  expires_at: expiry.optional(),
})
const keyChange = z.strictObject({
  /** Empty: no address. */
  name: z.string().trim().max(100).optional(),
  state: z.enum(['active', 'disabled']).optional(),
  scopes: scopes.optional(),
  expires_at: expiry.nullable().optional(),
})
const resetSettings = z.strictObject({
  grace_seconds: z
    .int()
    .min(0)
    .max(30 * 86_400)
    // The old key stays valid for this time, because running programs need the new key first.
    .default(86_400),
})
const testSettings = z.strictObject({ url: z.string().max(2048) })
/** `null`: no alerts are sent. */
const alertSettings = z.strictObject({ url: z.string().max(2048).nullable() })
const replaySettings = z.strictObject({ task_id: taskId })

const account = (c: AppContext) => c.env.ACCOUNTS.getByName(c.get('key').accountId)

export const MANAGE_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/console/api/me',
    access: 'session',
    async handle(c) {
      const record = await account(c).get()
      const { requestsPerMinute, maxFileBytes, maxBatchFiles, maxKeys, retentionMs, callbacks } = PLANS[record?.plan ?? 'free']
      const limits = {
        requests_per_minute: record?.lowestLimit ?? requestsPerMinute,
        max_file_bytes: maxFileBytes,
        max_batch_files: maxBatchFiles,
        max_keys: maxKeys,
        retention_seconds: retentionMs / 1000,
        callbacks,
      }
      const { name, role } = c.get('person')
      return json({ name, role, account: { name: record?.name, plan: record?.plan }, limits })
    },
  },
  {
    method: 'GET',
    path: '/console/api/applications',
    access: 'session',
    async handle(c) {
      const applications = (await account(c).applications()).map(({ application, keys }) => ({
        ...serialiseApplication(application),
        keys: keys.map(serialiseKey),
      }))
      return json({ applications, plans: plansUpTo(c) })
    },
  },
  {
    method: 'POST',
    path: '/console/api/applications',
    access: 'session',
    role: 'admin',
    audit: 'application.created',
    async handle(c) {
      const wanted = await readBody(c, newApplication)
      return json(serialiseApplication(await account(c).createApplication(wanted.name, wanted.environment, allowedPlan(c, wanted.plan))))
    },
  },
  {
    method: 'PATCH',
    path: '/console/api/applications/{application_id}',
    access: 'session',
    role: 'admin',
    audit: 'application.changed',
    async handle(c) {
      const { name, environment, plan: wanted } = await readBody(c, applicationChange)
      const change = {
        ...(name ? { name } : {}),
        ...(environment ? { environment } : {}),
        ...(wanted ? { plan: allowedPlan(c, wanted)! } : {}),
      }
      const id = c.req.param('application_id') ?? ''
      if (!(await account(c).updateApplication(id, change))) throw unknown('application')
      return json({ application_id: id, changed: true })
    },
  },
  {
    method: 'POST',
    path: '/console/api/keys',
    access: 'session',
    role: 'admin',
    audit: 'key.created',
    async handle(c) {
      const wanted = await readBody(c, newKey)
      const expires = wanted.expires_at === undefined ? {} : { expiresAt: wanted.expires_at }
      const named = wanted.name === undefined ? {} : { name: wanted.name }
      const options = { scopes: wanted.scopes ?? SCOPES, ...named, ...expires }
      return keyAnswer(c, await account(c).createOwnKey(wanted.application_id, options))
    },
  },
  {
    method: 'PATCH',
    path: '/console/api/keys/{key_id}',
    access: 'session',
    role: 'admin',
    audit: 'key.changed',
    async handle(c) {
      const { state, name, scopes: wanted, expires_at } = await readBody(c, keyChange)
      const change = {
        ...(name === undefined ? {} : { name }),
        ...(state ? { state } : {}),
        ...(wanted ? { scopes: wanted } : {}),
        ...(expires_at === undefined ? {} : { expiresAt: expires_at }),
      }
      return keyAnswer(c, await account(c).updateOwnKey(c.req.param('key_id') ?? '', change))
    },
  },
  {
    method: 'POST',
    path: '/console/api/keys/{key_id}/reset',
    access: 'session',
    role: 'admin',
    audit: 'key.reset',
    async handle(c) {
      const { grace_seconds } = await readBody(c, resetSettings)
      return keyAnswer(c, await account(c).resetKey(c.req.param('key_id') ?? '', grace_seconds * 1000))
    },
  },
  {
    method: 'DELETE',
    path: '/console/api/keys/{key_id}',
    access: 'session',
    role: 'admin',
    audit: 'key.removed',
    handle: async (c) => keyAnswer(c, await account(c).removeKey(c.req.param('key_id') ?? '')),
  },
  {
    method: 'DELETE',
    path: '/console/api/applications/{application_id}',
    access: 'session',
    role: 'admin',
    audit: 'application.removed',
    handle: async (c) => keyAnswer(c, await account(c).removeApplication(c.req.param('application_id') ?? '')),
  },
  {
    method: 'GET',
    path: '/console/api/audit',
    access: 'session',
    role: 'admin',
    query: cursorQuery,
    handle: async (c) => json(serialiseAuditPage(await auditPage(c, c.get('key').accountId))),
  },
  {
    method: 'GET',
    path: '/console/api/usage/keys',
    access: 'session',
    query: usageQuery,
    async handle(c) {
      const { month = new Date().toISOString().slice(0, 7) } = parseOrRefuse(usageQuery, c.req.query())
      return json({ month, keys: (await account(c).callsByKey(month)).map(serialiseCalls) })
    },
  },
  {
    method: 'GET',
    path: '/console/api/callbacks',
    access: 'session',
    async handle(c) {
      const [secret, deliveries, alertUrl] = await Promise.all([
        account(c).webhookSecret(),
        account(c).deliveries(100),
        account(c).alertUrl(),
      ])
      // Anyone who has the signing secret can sign deliveries in the name of the service.
      const shown = isAtLeast(c.get('person').role, 'admin') ? { webhook_secret: secret } : {}
      return json({ ...shown, alert_url: alertUrl ?? null, deliveries: deliveries.map(serialiseDelivery) })
    },
  },
  {
    method: 'GET',
    path: '/console/api/callbacks/messages/{task_id}',
    access: 'session',
    async handle(c) {
      const message = await (await authorizedTask(c)).record.callback()
      if (!message) throw unknown('callback')
      return json({ url: message.url, message_id: message.messageId, body: message.body })
    },
  },
  {
    method: 'POST',
    path: '/console/api/callbacks/rotate',
    access: 'session',
    bodyless: true,
    role: 'admin',
    audit: 'secret.rotated',
    handle: async (c) => json({ webhook_secret: await account(c).rotateWebhookSecret() }),
  },
  {
    method: 'POST',
    path: '/console/api/callbacks/test',
    access: 'session:counted',
    role: 'member',
    async handle(c) {
      const { url } = await readBody(c, testSettings)
      requireCallbacks(c)
      const checked = callable(c, url)
      const messageId = `msg_${crypto.randomUUID().replaceAll('-', '')}`
      const body = JSON.stringify({ type: 'test', timestamp: new Date().toISOString(), data: { message: 'A test delivery from Whittle.' } })
      const delivery = await deliverWebhook(egressSender(c.env.EGRESS), { url: checked, messageId, body }, await account(c).webhookSecret())
      const record = { kind: 'test' as const, messageId, url: checked, attempt: 1, ...delivery }
      await account(c).noteDelivery(record)
      return json(serialiseDelivery(record))
    },
  },
  {
    method: 'POST',
    path: '/console/api/callbacks/alerts',
    access: 'session',
    role: 'admin',
    audit: 'alerts.changed',
    async handle(c) {
      const { url } = await readBody(c, alertSettings)
      requireCallbacks(c)
      const address = url === null ? undefined : callable(c, url)
      await account(c).setAlertUrl(address)
      return json({ alert_url: address ?? null })
    },
  },
  {
    method: 'POST',
    path: '/console/api/callbacks/replay',
    access: 'session:counted',
    role: 'member',
    async handle(c) {
      requireCallbacks(c)
      const record = c.env.TASKS.getByName((await readBody(c, replaySettings)).task_id)
      const task = await record.read()
      if (!task || task.accountId !== c.get('key').accountId || !(await record.replayCallback())) throw unknown('callback')
      return json({ task_id: task.taskId, replayed: true })
    },
  },
]

/** @returns the address as it is stored */
function callable(c: AppContext, url: string): string {
  const checked = checkOutgoingUrl(url, outgoingRules(c.env))
  if (checked.ok) return checked.url
  throw new ApiError('unsafe_callback_url', apiMessage('address_uncallable', { why: checked.why }), { param: 'url' })
}

const unknown = (what: ApiPlainCode) => new ApiError('unknown_route', apiMessage('no_such_thing_here', { what: apiMessage(what) }))

function requireCallbacks(c: AppContext): void {
  const { plan } = c.get('key')
  if (!PLANS[plan].callbacks) throw new ApiError('plan_not_allowed', apiMessage('plan_has_no_callbacks', { plan }), { plan })
}

/** Converts the outcome of creating, changing or resetting a key to an answer or an error. */
function keyAnswer(c: AppContext, outcome: UserKeyResult): Response {
  switch (outcome.kind) {
    case 'made':
      return json({ key: outcome.key, key_id: outcome.summary.keyId, masked: outcome.summary.masked })
    case 'changed':
      return json({ key_id: c.req.param('key_id'), changed: true })
    case 'removed':
      return json({ id: c.req.param('key_id') ?? c.req.param('application_id'), removed: true })
    case 'in_use':
      throw invalidParameter(
        c.req.param('key_id') === undefined ? 'application_id' : 'key_id',
        c.req.param('key_id') === undefined ? 'application_has_keys' : 'key_works',
      )
    case 'unknown':
      throw unknown(c.req.param('key_id') === undefined ? 'application' : 'key')
    case 'operator_only':
      throw new ApiError('missing_scope', 'set_by_operator', {
        scope: 'operator',
      })
    case 'expired':
      throw invalidParameter('key_id', 'key_expired_make_another')
    case 'too_many': {
      const { plan } = c.get('key')
      const message = apiMessage('too_many_keys', { plan, limit: outcome.limit })
      throw new ApiError('plan_not_allowed', message, { plan, limit: outcome.limit })
    }
  }
}

const plansUpTo = (c: AppContext) => PLAN_ORDER.slice(0, (PLAN_ORDER as readonly PlanId[]).indexOf(c.get('key').plan) + 1)

/** Plan of an application: at most the plan of its account. */
function allowedPlan(c: AppContext, wanted: (typeof PLAN_ORDER)[number] | undefined) {
  if (wanted && !plansUpTo(c).includes(wanted)) {
    throw new ApiError('plan_not_allowed', apiMessage('plan_of_account', { plan: c.get('key').plan }), { plan: c.get('key').plan })
  }
  return wanted
}
