/** Webhooks in `/openapi.json`: requests that the service sends to a `callback_url` (Standard Webhooks 1.0.0). */
import type { Json, Schemas } from './openapi-schemas.ts'
import { task } from './schemas/tasks.ts'

const bodyOf = (schema: Json) => ({ required: true, content: { 'application/json': { schema } } })

/** Converts `storage.nearly_full` to `StorageNearlyFull`. */
const operationOf = (type: string) => type.replace(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase())

const eventProperties = (type: string) => ({
  type: { type: 'string', const: type, description: 'Kind of the event' },
  timestamp: { type: 'string', format: 'date-time', description: 'Time of the event: ISO 8601, UTC' },
})

export function webhooks(schemas: Schemas): Json {
  const header = (name: string, description: string) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } })
  const parameters = [
    header('webhook-id', 'Same for every attempt of a delivery. Use it to ignore repeated deliveries'),
    header('webhook-timestamp', 'Seconds since 1970'),
    header('webhook-signature', '`v1,` and base64 of the HMAC-SHA256 of `{id}.{timestamp}.{body}`'),
  ]
  const event = (status: string) => {
    const name = `Task${status === 'completed' ? 'Completed' : 'Failed'}Event`
    const properties = {
      ...eventProperties(`task.${status}`),
      data: { ...(schemas.of(task, 'output') as Json), description: 'The task' },
    }
    // Written inline, because oapi-codegen drops components that no path uses but keeps the references to them.
    const schema = { type: 'object', properties, required: Object.keys(properties) }
    return {
      operationId: `on${name}`,
      tags: ['Callbacks'],
      summary: `A task has ${status}`,
      description:
        'If the receiver does not answer 2xx within 15 s, the service tries again for up to 18 hours. 410 stops the deliveries of this event.',
      security: [],
      parameters,
      requestBody: bodyOf(schema),
      responses: { 200: { description: 'Received' }, 410: { description: 'Stop this delivery' } },
    }
  }
  const alert = (type: string, summary: string) => {
    const number = (description: string) => ({ type: 'integer', description })
    const text = (description: string) => ({ type: 'string', description })
    const data = {
      plan: text('Plan of the account'),
      month: text('Month in UTC'),
      percent: number('Share of the quota that was reached'),
      storage_used: number('Bytes stored'),
      storage_quota: number('Bytes that the account may store'),
    }
    const properties = {
      ...eventProperties(type),
      data: { type: 'object', properties: data, required: Object.keys(data), description: 'Storage of the account' },
    }
    const schema = { type: 'object', properties, required: Object.keys(properties) }
    return { ...event('completed'), operationId: `on${operationOf(type)}`, summary, requestBody: bodyOf(schema) }
  }
  return {
    'task.completed': { post: event('completed') },
    'task.failed': { post: event('failed') },
    'storage.nearly_full': {
      post: alert('storage.nearly_full', 'The storage is 80 % full. Sent once a month to the address for alerts in the console'),
    },
    'storage.full': { post: alert('storage.full', 'The storage is full or an upload did not fit. Sent once a month') },
  }
}
