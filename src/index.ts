/** Worker `whittle`: HTTP API, Durable Objects, hourly sweep, and a health check every ten minutes. */
import type { Env } from './service/env.ts'
import { createApp } from './service/http/app.ts'
import { ROUTES } from './service/http/routes/index.ts'
import { withRegionBindings } from './service/store/region-bindings.ts'
import { SHORT_PAUSES_MS, withRetries } from './service/store/retry.ts'
import { recordHealthCheck } from './service/store/status-history.ts'
import { exportAccounts } from './service/tasks/backup.ts'
import { checkHealth } from './service/tasks/health.ts'
import { sweep } from './service/tasks/sweep.ts'

export { Account } from '../durable-objects/account.ts'
export { KeyGate } from '../durable-objects/key-gate.ts'
export { SyncRecord } from '../durable-objects/sync-record.ts'
export { TaskRecord } from '../durable-objects/task-record.ts'
export { UploadRecord } from '../durable-objects/upload-record.ts'

const app = createApp(ROUTES)
/** UTC hour of the daily account export. */
const EXPORT_HOUR = 3
/** Cron schedule of the health check, as in wrangler.toml and `npm start`. Every other schedule runs the sweep. */
const HEALTH_CHECK_CRON = '*/10 * * * *'

/** Bindings whose idempotent methods are retried. Cloudflare may reset or move a Durable Object during a request. */
const withRetriedCalls = (env: Env): Env => ({
  ...env,
  TASKS: withRetries(env.TASKS, ['create', 'createFailed', 'read', 'watch', 'toQueue', 'callback', 'names', 'remove'], SHORT_PAUSES_MS),
  ACCOUNTS: withRetries(
    env.ACCOUNTS,
    [
      'get',
      'admit',
      'giveBack',
      'reserve',
      'release',
      'beginIdempotent',
      'finishIdempotent',
      'abandonIdempotent',
      'waitingPlaces',
      'list',
      'batch',
      'usage',
      'webhookSecret',
      'deliveries',
    ],
    SHORT_PAUSES_MS,
  ),
  SYNCS: withRetries(env.SYNCS, ['start', 'read', 'cancel'], SHORT_PAUSES_MS),
  UPLOADS: withRetries(
    env.UPLOADS,
    ['create', 'read', 'open', 'nextPart', 'commit', 'parts', 'whole', 'use', 'used', 'unuse', 'names', 'remove'],
    SHORT_PAUSES_MS,
  ),
  KEY_GATES: withRetries(
    env.KEY_GATES,
    ['enter', 'enterAs', 'createToken', 'createGuestToken', 'chargeGuest', 'enterWithToken', 'claimTokenFile', 'settleTokenFile'],
    SHORT_PAUSES_MS,
  ),
})

export default {
  fetch: (request: Request, env, ctx) => app.fetch(request, withRetriedCalls(withRegionBindings(env)), ctx),
  async scheduled({ scheduledTime, cron }, env, ctx) {
    if (cron === HEALTH_CHECK_CRON) {
      ctx.waitUntil(checkHealth(withRegionBindings(env)).then((look) => recordHealthCheck(env.BLOBS, Date.now(), look)))
      return
    }
    ctx.waitUntil(sweep(withRegionBindings(env)).then((found) => console.log(JSON.stringify({ level: 'info', event: 'sweep', ...found }))))
    if (new Date(scheduledTime).getUTCHours() !== EXPORT_HOUR) return
    ctx.waitUntil(
      exportAccounts(withRegionBindings(env)).then((done) => console.log(JSON.stringify({ level: 'info', event: 'export', ...done }))),
    )
  },
} satisfies ExportedHandler<Env>
