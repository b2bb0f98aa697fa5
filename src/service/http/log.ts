/** Writes one JSON log line per request: ids, trace, route, status, time. Never keys, passwords, file names or contents. */
import { traceField } from '../trace-context.ts'
import type { AppContext } from './context.ts'

export function logRequest(c: AppContext, status: number, thrown?: unknown): void {
  const key = c.get('key')
  // A response with 503 that nothing threw is expected: the page that says that the documentation is being built.
  const isError = status >= 500 && (status !== 503 || thrown !== undefined)
  const line = {
    level: isError ? 'error' : 'info',
    request_id: c.get('requestId'),
    ...traceField(c.get('traceparent')),
    method: c.req.method,
    route: c.get('route') ?? 'unknown',
    status,
    ms: c.get('timing').elapsedMs,
    ...(key ? { account_id: key.accountId, key_id: key.keyId } : {}),
    ...loggedIds(c),
    ...(status >= 500 && thrown instanceof Error ? { exception: thrown.stack ?? thrown.message } : {}),
  }
  if (isError) console.error(JSON.stringify(line))
  else console.log(JSON.stringify(line))
}

function loggedIds(c: AppContext) {
  const { taskIds, batchId, error } = c.get('logged')
  return {
    ...(taskIds ? { task_ids: taskIds } : {}),
    ...(batchId ? { batch_id: batchId } : {}),
    ...(error ? { error } : {}),
  }
}
