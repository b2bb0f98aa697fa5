/** The operator's API: accounts, applications, keys. Its routes exist only if ADMIN_TOKEN is set. */

import * as z from 'zod'
import { apiMessage } from '../../i18n/message.ts'
import { accountExists, addToAccountIndex, listAccountIds } from '../../store/account-index.ts'
import type { AccountRecord, NewKey } from '../../store/accounts.ts'
import { listDeadLetters } from '../../store/dead-letters.ts'
import { idPattern, newId } from '../../store/ids.ts'
import { SCOPES } from '../../store/keys.ts'
import { ROLES } from '../../store/people.ts'
import { bucketsOf, regionsOf } from '../../store/region-bindings.ts'
import type { Region } from '../../store/regions.ts'
import { liveAccountOf, testAccountOf, testPlanOf } from '../../store/test-accounts.ts'
import { ApiError } from '../../tasks/api-error.ts'
import { exportAccounts, readAccountExport } from '../../tasks/backup.ts'
import { recoverTasks } from '../../tasks/recover-tasks.ts'
import { sweep } from '../../tasks/sweep.ts'
import { recoverSyncs } from '../../tasks/sync/markers.ts'
import { serialiseAccount, serialiseApplication, serialiseDeadLetter, serialiseKey, serialisePeople } from '../account-serialisers.ts'
import { auditPage, serialiseAuditPage } from '../audit.ts'
import { readBody } from '../body.ts'
import { type AppContext, baseUrl } from '../context.ts'
import { json, type Route } from '../route.ts'
import { cursorQuery } from '../schemas/requests.ts'

const LIVE_ACCOUNT = idPattern('acc')
const isAccountId = (id: string) => LIVE_ACCOUNT.test(liveAccountOf(id))
const plan = z.enum(['free', 'basic', 'pro', 'enterprise'])
const label = z.string().trim().min(1).max(100)
const moment = z.iso.datetime().transform((text) => Date.parse(text))
const state = z.enum(['active', 'disabled'])

const newAccount = z.strictObject({ name: label, plan, storage_bytes: z.int().min(0).optional(), region: z.string().optional() })
const accountChange = z.strictObject({ plan: plan.optional(), state: state.optional() })
/** A time, or the `undo` bookmark of an earlier restoration. */
const restoration = z.union([z.strictObject({ at: moment }), z.strictObject({ bookmark: z.string().min(1).max(200) })])
const importation = z.strictObject({ day: z.iso.date() })
const newInvitation = z.strictObject({ name: label, role: z.enum(ROLES).default('owner') })
const roleChange = z.strictObject({ role: z.enum(ROLES) })
const newApplication = z.strictObject({ name: label, environment: label.default('production') })
const keyFields = {
  plan,
  scopes: z.array(z.enum(SCOPES)).min(1),
  expires_at: moment,
  state,
  requests_per_minute: z.int().min(1).max(1_000_000),
}
const newKey = z.strictObject({
  application_id: z.string(),
  name: label.optional(),
  plan: keyFields.plan.optional(),
  scopes: keyFields.scopes.optional(),
  expires_at: keyFields.expires_at.optional(),
  state: keyFields.state.optional(),
  requests_per_minute: keyFields.requests_per_minute.optional(),
})
const keyChange = z.strictObject({
  plan: keyFields.plan.optional(),
  scopes: keyFields.scopes.optional(),
  expires_at: keyFields.expires_at.nullable().optional(),
  state: keyFields.state.optional(),
  requests_per_minute: keyFields.requests_per_minute.nullable().optional(),
})

/** Age at which the hourly sweep may remove a blob. Younger blobs may belong to a request in progress. */
const sweepSettings = z.strictObject({ min_age_seconds: z.int().min(0).default(3600) })

export const ADMIN_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/admin/sweep',
    access: 'operator',
    async handle(c) {
      const { min_age_seconds } = await readBody(c, sweepSettings)
      return json(await sweep(c.env, Date.now(), min_age_seconds * 1000))
    },
  },
  {
    method: 'POST',
    path: '/admin/wake',
    access: 'operator',
    bodyless: true,
    async handle(c) {
      return json({ woken: (await recoverTasks(c.env)) + (await recoverSyncs(c.env)) })
    },
  },
  {
    method: 'GET',
    path: '/admin/dead-letters',
    access: 'operator',
    query: cursorQuery,
    async handle(c) {
      const page = await listDeadLetters(c.env.BLOBS, 100, c.req.query('cursor'))
      return json({ dead_letters: page.letters.map(serialiseDeadLetter), next_cursor: page.cursor ?? null })
    },
  },
  {
    method: 'POST',
    path: '/admin/accounts',
    access: 'operator',
    audit: 'account.created',
    async handle(c) {
      const body = await readBody(c, newAccount)
      const record: AccountRecord = {
        accountId: newId('acc', regionFor(c, body.region)),
        name: body.name,
        plan: body.plan,
        createdAt: Date.now(),
        state: 'active',
        ...(body.storage_bytes === undefined ? {} : { storageBytes: body.storage_bytes }),
      }
      await c.env.ACCOUNTS.getByName(record.accountId).put(record)
      await addToAccountIndex(c.env.BLOBS, record.accountId)
      return json(serialiseAccount(record))
    },
  },
  {
    method: 'GET',
    path: '/admin/accounts',
    access: 'operator',
    query: cursorQuery,
    async handle(c) {
      const page = await listAccountIds(bucketsOf(c.env), 100, c.req.query('cursor'))
      const records = await Promise.all(page.ids.map((id) => c.env.ACCOUNTS.getByName(id).get()))
      const accounts = records.filter((record): record is AccountRecord => record !== undefined).map(serialiseAccount)
      return json({ accounts, next_cursor: page.cursor ?? null })
    },
  },
  {
    method: 'GET',
    path: '/admin/accounts/{account_id}',
    access: 'operator',
    async handle(c) {
      return json(serialiseAccount((await accountOf(c)).record))
    },
  },
  {
    method: 'PATCH',
    path: '/admin/accounts/{account_id}',
    access: 'operator',
    audit: 'account.changed',
    async handle(c) {
      const { account, record } = await accountOf(c)
      const change = await readBody(c, accountChange)
      await account.update(change)
      // Changes the account of the test keys in the same way.
      const twin = testAccountOf(record.accountId)
      if (await accountExists(c.env.BLOBS, twin)) {
        await c.env.ACCOUNTS.getByName(twin).update({ state: change.state, plan: change.plan && testPlanOf(change.plan) })
      }
      return json(serialiseAccount((await account.get()) ?? record))
    },
  },
  {
    method: 'POST',
    path: '/admin/export',
    access: 'operator',
    bodyless: true,
    handle: async (c) => json(await exportAccounts(c.env)),
  },
  {
    method: 'POST',
    path: '/admin/accounts/{account_id}/import',
    access: 'operator',
    audit: 'account.imported',
    async handle(c) {
      const accountId = c.req.param('account_id') ?? ''
      const { day } = await readBody(c, importation)
      const exported = isAccountId(accountId) ? await readAccountExport(c.env.BLOBS, accountId, day) : undefined
      if (!exported) throw new ApiError('unknown_route', apiMessage('no_export_of_day', { day }))
      const made = await c.env.ACCOUNTS.getByName(accountId).adopt(exported)
      if (!made) throw new ApiError('precondition_failed', 'account_exists')
      await addToAccountIndex(c.env.BLOBS, accountId)
      return json(serialiseAccount(exported.account))
    },
  },
  {
    method: 'POST',
    path: '/admin/accounts/{account_id}/restore',
    access: 'operator',
    async handle(c) {
      const accountId = c.req.param('account_id') ?? ''
      // The list of accounts is checked, because the account's own record may be what was lost.
      if (!(isAccountId(accountId) && (await accountExists(c.env.BLOBS, accountId)))) {
        throw new ApiError('unknown_route', apiMessage('never_such_account', { id: accountId.slice(0, 40) }))
      }
      const undo = await c.env.ACCOUNTS.getByName(accountId).restore(await readBody(c, restoration))
      if (undo === undefined) throw new ApiError('unknown_route', 'only_cloudflare_keeps_accounts')
      return json({ account_id: accountId, undo })
    },
  },
  {
    method: 'POST',
    path: '/admin/accounts/{account_id}/invitations',
    access: 'operator',
    audit: 'person.invited',
    async handle(c) {
      const { account } = await accountOf(c)
      const { name, role } = await readBody(c, newInvitation)
      // The token follows `#`, so that no log and no Referer header contains it.
      return json({ name, role, invitation_url: `${baseUrl(c)}/console#invitation=${await account.people.invite(name, role)}` })
    },
  },
  {
    method: 'GET',
    path: '/admin/accounts/{account_id}/people',
    access: 'operator',
    handle: async (c) => json(serialisePeople(await (await accountOf(c)).account.people.list())),
  },
  {
    method: 'PATCH',
    path: '/admin/accounts/{account_id}/people/{user_id}',
    access: 'operator',
    audit: 'person.changed',
    async handle(c) {
      const { account } = await accountOf(c)
      const [userId, { role }] = [c.req.param('user_id') ?? '', await readBody(c, roleChange)]
      if (!(await account.people.setRole(userId, role))) throw new ApiError('unknown_route', 'no_such_person')
      return json({ user_id: userId, role })
    },
  },
  {
    method: 'DELETE',
    path: '/admin/accounts/{account_id}/people/{user_id}',
    access: 'operator',
    audit: 'person.removed',
    async handle(c) {
      const { account } = await accountOf(c)
      const userId = c.req.param('user_id') ?? ''
      if (!(await account.people.removePerson(userId))) throw new ApiError('unknown_route', 'no_such_person')
      return json({ user_id: userId, removed: true })
    },
  },
  {
    method: 'POST',
    path: '/admin/accounts/{account_id}/applications',
    access: 'operator',
    audit: 'application.created',
    async handle(c) {
      const { account } = await accountOf(c)
      const { name, environment } = await readBody(c, newApplication)
      return json(serialiseApplication(await account.createApplication(name, environment)))
    },
  },
  {
    method: 'GET',
    path: '/admin/accounts/{account_id}/applications',
    access: 'operator',
    async handle(c) {
      const { account } = await accountOf(c)
      const applications = (await account.applications()).map(({ application, keys }) => ({
        ...serialiseApplication(application),
        keys: keys.map(serialiseKey),
      }))
      return json({ applications })
    },
  },
  {
    method: 'POST',
    path: '/admin/accounts/{account_id}/keys',
    access: 'operator',
    audit: 'key.created',
    async handle(c) {
      const { account, record } = await accountOf(c)
      const body = await readBody(c, newKey)
      const options: NewKey = {
        plan: body.plan ?? record.plan,
        scopes: body.scopes ?? SCOPES,
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.expires_at === undefined ? {} : { expiresAt: body.expires_at }),
        ...(body.state === undefined ? {} : { state: body.state }),
        ...(body.requests_per_minute === undefined ? {} : { requestsPerMinute: body.requests_per_minute }),
      }
      const made = await account.createKey(body.application_id, options)
      if (!made) throw new ApiError('unknown_route', 'no_such_application')
      return json({ key: made.key, key_id: made.summary.keyId, masked: made.summary.masked })
    },
  },
  {
    method: 'PATCH',
    path: '/admin/accounts/{account_id}/keys/{key_id}',
    access: 'operator',
    audit: 'key.changed',
    async handle(c) {
      const { account } = await accountOf(c)
      const body = await readBody(c, keyChange)
      const changed = await account.updateKey(c.req.param('key_id') ?? '', {
        ...(body.plan === undefined ? {} : { plan: body.plan }),
        ...(body.scopes === undefined ? {} : { scopes: body.scopes }),
        ...(body.expires_at === undefined ? {} : { expiresAt: body.expires_at }),
        ...(body.state === undefined ? {} : { state: body.state }),
        ...(body.requests_per_minute === undefined ? {} : { requestsPerMinute: body.requests_per_minute }),
      })
      if (!changed) throw new ApiError('unknown_route', 'no_such_key')
      return json({ key_id: c.req.param('key_id'), changed: true })
    },
  },
  {
    method: 'GET',
    path: '/admin/accounts/{account_id}/audit',
    access: 'operator',
    query: cursorQuery,
    handle: async (c) => json(serialiseAuditPage(await auditPage(c, (await accountOf(c)).record.accountId))),
  },
  {
    method: 'GET',
    path: '/admin/accounts/{account_id}/webhook-secret',
    access: 'operator',
    audit: 'secret.read',
    async handle(c) {
      const { account } = await accountOf(c)
      return json({ webhook_secret: await account.webhookSecret() })
    },
  },
]

/**
 * Region of a new account.
 * @throws ApiError if this deployment has no such region
 */
function regionFor(c: AppContext, wanted: string | undefined): Region | undefined {
  const region = wanted ?? c.env.REGION
  if (region === undefined) return undefined
  const allowed = regionsOf(c.env)
  const found = allowed.find((one) => one === region)
  if (found) return found
  const facts = { param: 'region', got: region, allowed }
  throw new ApiError('invalid_parameter', apiMessage('no_such_region', { got: region.slice(0, 40) }), facts)
}

async function accountOf(c: AppContext) {
  const id = c.req.param('account_id') ?? ''
  const account = c.env.ACCOUNTS.getByName(id)
  const record = isAccountId(id) ? await account.get() : undefined
  if (!record) throw new ApiError('unknown_route', apiMessage('no_such_account', { id: id.slice(0, 40) }))
  return { account, record }
}
