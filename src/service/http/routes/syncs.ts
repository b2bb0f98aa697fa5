/** Syncs: compress the objects of a bucket into another one. */
import { apiMessage } from '../../i18n/message.ts'
import { newId } from '../../store/ids.ts'
import type { PresetOptions } from '../../store/presets.ts'
import { regionOf } from '../../store/regions.ts'
import { type SyncOrder, type SyncRecordApi, type SyncReport, toSyncView } from '../../store/syncs.ts'
import { ApiError, invalidParameter } from '../../tasks/api-error.ts'
import { checkOutputName, withoutReplacedGoal } from '../../tasks/job-options.ts'
import { presetOptions } from '../../tasks/presets.ts'
import { checkPlaces, recordName } from '../../tasks/sync/start.ts'
import { readJsonObject } from '../body.ts'
import { type AppContext, baseUrl } from '../context.ts'
import { textOf } from '../json-form.ts'
import { json, type Route } from '../route.ts'
import { checkField, parseJobOptions, parseOrRefuse, presetFields, presetName } from '../schemas/requests.ts'
import { sync, syncId, syncOptions, syncPage, syncPlaces, syncQuery, syncRequest } from '../schemas/syncs.ts'
import { syncEvents } from '../sync-events.ts'
import { languageFor } from '../task-serialiser.ts'
import { refuseUnknownNames } from '../unknown-fields.ts'

const PATH = '/v1/syncs/{sync_id}'

export const createSync: Route = {
  method: 'POST',
  path: '/v1/syncs',
  access: 'compress',
  async handle(c) {
    const body = await readJsonObject(c.req.raw)
    const { source, destination, dry_run: dryRun, ...fields } = body
    refuseUnknownNames(Object.keys(body), Object.keys(syncRequest.shape))
    const places = parseOrRefuse(syncPlaces, { source, destination, ...(dryRun === undefined ? {} : { dry_run: dryRun }) })
    const { accountId, plan } = c.get('key')
    await checkPlaces(c.env, accountId, places)
    const order: SyncOrder = {
      syncId: newId('syn', regionOf(accountId)),
      name: await recordName(accountId, places),
      accountId,
      planId: plan,
      source: places.source,
      destination: places.destination,
      options: await optionsOf(c, fields),
      dryRun: places.dry_run,
      requestId: c.get('requestId'),
      baseUrl: baseUrl(c),
      startedAt: Date.now(),
    }
    return json(await begin(c, order))
  },
  doc: {
    id: 'createSync',
    summary: 'Compress the objects of a bucket into another',
    description:
      'Lists the objects of `source`, compresses each, and writes the result to `destination` under the same key. A sync first estimates, then runs by itself; it survives restarts, and waits while a bucket does not answer. Objects whose result of an earlier sync is still there are skipped. Options that a format does not have are left out. Files that no compressor takes are copied.',
    json: syncRequest,
    answer: sync,
    errors: [400, 404, 409],
  },
}

export const listSyncs: Route = {
  method: 'GET',
  path: '/v1/syncs',
  access: 'tasks:read',
  query: syncQuery,
  async handle(c) {
    const { limit, cursor } = parseOrRefuse(syncQuery, c.req.query())
    const page = await c.env.ACCOUNTS.getByName(c.get('key').accountId).syncs.list(limit, cursor)
    if (!page) throw invalidParameter('cursor', 'unknown_cursor')
    const reports = await Promise.all(page.syncs.map(({ syncId: id, name }) => c.env.SYNCS.getByName(name).read(id)))
    const syncs = reports.filter((report) => report !== undefined).map((report) => viewOf(c, report))
    return json({ syncs, next_cursor: page.nextCursor ?? null })
  },
  doc: { id: 'listSyncs', summary: 'Syncs, newest first', answer: syncPage, errors: [400] },
}

export const getSync: Route = {
  method: 'GET',
  path: PATH,
  access: 'tasks:read',
  async handle(c) {
    const { record, id } = await ownSync(c)
    return json(viewOf(c, (await record.read(id)) ?? unknown(id)))
  },
  doc: { id: 'getSync', summary: 'One sync', answer: sync, errors: [404] },
}

export const getSyncEvents: Route = {
  method: 'GET',
  path: `${PATH}/events`,
  access: 'tasks:read',
  async handle(c) {
    const { record, id } = await ownSync(c)
    return syncEvents(c, record, (await record.read(id)) ?? unknown(id))
  },
  doc: {
    id: 'getSyncEvents',
    summary: 'Events of a sync',
    description:
      'Server-sent events, each with the sync as JSON: `progress` when its figures change, at most twice a second, then `completed`, `failed` or `cancelled`. A stream lasts at most 5 minutes; come again with `Last-Event-ID`.',
    headers: ['Last-Event-ID'],
    answer: 'events',
    errors: [404],
  },
}

export const cancelSync: Route = {
  method: 'DELETE',
  path: PATH,
  access: 'compress',
  async handle(c) {
    const { record, id } = await ownSync(c)
    return json(viewOf(c, (await record.cancel(id)) ?? unknown(id)))
  },
  doc: {
    id: 'cancelSync',
    summary: 'Cancel a sync',
    description: 'Running transfers end. What was written stays at the destination. A sync that has ended stays as it is.',
    answer: sync,
    errors: [404],
  },
}

export const resumeSync: Route = {
  method: 'POST',
  path: `${PATH}/resume`,
  access: 'compress',
  bodyless: true,
  async handle(c) {
    const { record, id } = await ownSync(c)
    const report = (await record.resume(id)) ?? unknown(id)
    if (report === false) throw new ApiError('not_resumable', 'sync_not_resumable')
    return json(viewOf(c, report))
  },
  doc: {
    id: 'resumeSync',
    summary: 'Resume a sync',
    description: 'Goes on with a failed sync, for example after new credentials were saved, or ends the pause of a paused one.',
    answer: sync,
    errors: [404, 409],
  },
}

export const SYNC_ROUTES: readonly Route[] = [createSync, listSyncs, getSync, getSyncEvents, cancelSync, resumeSync]

/** Starts a sync, unless one runs between its places. */
async function begin(c: AppContext, order: SyncOrder) {
  const list = c.env.ACCOUNTS.getByName(order.accountId).syncs
  const record = c.env.SYNCS.getByName(order.name)
  await list.add({ syncId: order.syncId, name: order.name })
  const other = await record.start(order)
  if (other) {
    await list.remove(order.syncId)
    throw new ApiError('sync_running', apiMessage('sync_runs_already', { id: other.running }), { sync_id: other.running })
  }
  return viewOf(c, (await record.read(order.syncId)) ?? unknown(order.syncId))
}

/** Options of the fields that the client wrote. `null` means that a field is not there. */
async function optionsOf(c: AppContext, { preset, ...fields }: Readonly<Record<string, unknown>>): Promise<PresetOptions> {
  const texts = new Map<string, string>()
  for (const name of Object.keys(syncOptions.shape)) {
    const value = fields[name] ?? null
    if (value === null) continue
    const text = textOf(name, value)
    checkField(presetFields, name, text)
    texts.set(name, text)
  }
  const chosen = parseJobOptions(presetFields, texts) as PresetOptions
  if (chosen.format !== undefined) checkOutputName(chosen.format)
  if (preset === undefined || preset === null) return chosen
  const {
    callbackUrl: _,
    targetSize: __,
    response: ___,
    retention: ____,
    ...base
  } = await presetOptions(c.env, c.get('key').accountId, presetName(preset))
  return { ...withoutReplacedGoal(base, chosen), ...chosen }
}

async function ownSync(c: AppContext): Promise<{ record: SyncRecordApi; id: string }> {
  const id = c.req.param('sync_id') ?? ''
  const found = syncId.safeParse(id).success ? await c.env.ACCOUNTS.getByName(c.get('key').accountId).syncs.find(id) : undefined
  return found ? { record: c.env.SYNCS.getByName(found.name), id } : unknown(id)
}

const viewOf = (c: AppContext, report: SyncReport) => toSyncView(report, languageFor(c))

function unknown(id: string): never {
  throw new ApiError('unknown_sync', apiMessage('no_such_sync', { id: id.slice(0, 40) }))
}
