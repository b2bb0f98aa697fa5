/** GET /v1/tasks/{task_id}/receipt, and the public keys that verify signed receipts. */
import { json, type Route } from '../route.ts'
import { keySet, receiptDocument } from '../schemas/receipts.ts'
import { parseOrRefuse, receiptQuery } from '../schemas/requests.ts'
import { publishedKeys, receiptOf, signed } from '../signing.ts'
import { completedResult, visibleTask } from '../task-access.ts'

export const getReceipt: Route = {
  method: 'GET',
  path: '/v1/tasks/{task_id}/receipt',
  access: 'tasks:read',
  token: 'own',
  query: receiptQuery,
  async handle(c) {
    const { decoded } = parseOrRefuse(receiptQuery, c.req.query())
    const task = await visibleTask(c)
    completedResult(task)
    const receipt = receiptOf(c, task)
    if (decoded === '1') return json(receipt)
    const headers = { 'Content-Type': 'application/jose', 'Cache-Control': 'private, no-store' }
    return new Response(await signed(receipt, c.env.RECEIPT_KEYS), { headers })
  },
  doc: {
    id: 'getReceipt',
    summary: 'The receipt of a completed task, signed',
    description:
      'A compact JWS (RFC 7515, EdDSA) that anybody can verify with the keys of `/.well-known/jwks.json`. `?decoded=1` returns its payload as JSON.',
    answer: { jws: receiptDocument },
    errors: [400, 404, 409, 503],
  },
}

export const getKeys: Route = {
  method: 'GET',
  path: '/.well-known/jwks.json',
  access: 'public',
  handle: async (c) => json(publishedKeys(c.env.RECEIPT_KEYS), { 'Cache-Control': 'public, max-age=300' }),
  doc: {
    id: 'getKeys',
    summary: 'The public keys that verify receipts',
    description: 'A JSON Web Key Set (RFC 7517). The first key signs new receipts; older keys stay listed.',
    answer: keySet,
    errors: [],
  },
}
