/** `whittle`: the HTTP edge, the Durable Objects, and the hourly sweep. */
import type { Env } from './env.ts'
import { createApp } from './http/app.ts'
import { ROUTES } from './http/routes/index.ts'
import { sweep } from './tasks/sweep.ts'

export { Account } from '../durable-objects/account.ts'
export { KeyGate } from '../durable-objects/key-gate.ts'
export { TaskRecord } from '../durable-objects/task-record.ts'

const app = createApp(ROUTES)

export default {
  fetch: app.fetch,
  async scheduled(_, env, ctx) {
    ctx.waitUntil(sweep(env).then((found) => console.log(JSON.stringify({ level: 'info', event: 'sweep', ...found }))))
  },
} satisfies ExportedHandler<Env>
