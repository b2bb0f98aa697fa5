/** GET /healthz: checks whether every binding responds. */
import { apiMessage } from '../../i18n/message.ts'
import { ApiError } from '../../tasks/api-error.ts'
import { checkHealth } from '../../tasks/health.ts'
import { json, type Route } from '../route.ts'
import { health } from '../schemas/service.ts'

/** Time in ms for which a good answer is reused, so that frequent requests do not load the bindings. */
const HOLDS_MS = 5000

/** Last good answer of this isolate. */
let good: { readonly answer: object; readonly until: number } | undefined

export const healthz: Route = {
  method: 'GET',
  path: '/healthz',
  access: 'public',
  async handle(c) {
    if (good && Date.now() < good.until) return json(good.answer)
    const checks = await checkHealth(c.env)
    const failed = Object.keys(checks).filter((name) => !checks[name]?.ok)
    if (failed.length > 0) {
      throw new ApiError(
        'overloaded',
        apiMessage('not_everything_answers', { what: failed.join(', ') }),
        { checks },
        { 'Retry-After': '5' },
      )
    }
    good = { answer: { status: 'ok', checks }, until: Date.now() + HOLDS_MS }
    return json(good.answer)
  },
  doc: { id: 'healthz', summary: 'Health check of all components', answer: health, errors: [503] },
}
