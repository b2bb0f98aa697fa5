/** Connections: show, save and remove named buckets of the account. */

import { apiMessage } from '../../i18n/message.ts'
import { invalidParameter } from '../../tasks/api-error.ts'
import { saveConnection, unknownConnection } from '../../tasks/connections.ts'
import { readJson } from '../body.ts'
import type { AppContext } from '../context.ts'
import { json, type Route } from '../route.ts'
import { CONNECTION_NAME } from '../schemas/common.ts'
import {
  connectionFields,
  connection as connectionShape,
  connections as connectionsShape,
  connectionView,
  parseConnectionFields,
} from '../schemas/connections.ts'

const PATH = '/v1/connections/{name}'

const stored = (c: AppContext) => c.env.ACCOUNTS.getByName(c.get('key').accountId).connections
const nameOf = (c: AppContext) => c.req.param('name') ?? ''

export const listConnections: Route = {
  method: 'GET',
  path: '/v1/connections',
  access: 'compress',
  handle: async (c) => json({ connections: (await stored(c).list()).map(connectionView) }),
  doc: { id: 'listConnections', summary: 'All bucket connections', answer: connectionsShape, errors: [] },
}

export const getConnection: Route = {
  method: 'GET',
  path: PATH,
  access: 'compress',
  async handle(c) {
    const name = nameOf(c)
    const found = CONNECTION_NAME.test(name) ? await stored(c).find(name) : undefined
    if (!found) throw unknownConnection(name)
    return json(connectionView(found))
  },
  doc: { id: 'getConnection', summary: 'A bucket connection', answer: connectionShape, errors: [404] },
}

export const putConnection: Route = {
  method: 'PUT',
  path: PATH,
  access: 'connections',
  async handle(c) {
    const name = nameOf(c)
    if (!CONNECTION_NAME.test(name))
      throw invalidParameter('name', apiMessage('field_wrong', { name: 'name', why: apiMessage('must_be_name_of_connection') }))
    const settings = parseConnectionFields(await readJson(c.req.raw))
    return json(connectionView(await saveConnection(c.env, { accountId: c.get('key').accountId, name }, settings)))
  },
  doc: {
    id: 'putConnection',
    summary: 'Save a bucket connection',
    description:
      'Whittle lists one key of the bucket, and saves the connection only if that succeeds. It replaces the whole connection. `source` and `destination` then name it. Credentials are stored encrypted and never shown. The key needs the scope `connections`.',
    json: connectionFields,
    answer: connectionShape,
    errors: [400, 409],
  },
}

export const deleteConnection: Route = {
  method: 'DELETE',
  path: PATH,
  access: 'connections',
  async handle(c) {
    const name = nameOf(c)
    if (!CONNECTION_NAME.test(name) || !(await stored(c).remove(name))) throw unknownConnection(name)
    return new Response(null, { status: 204 })
  },
  doc: {
    id: 'deleteConnection',
    summary: 'Delete a bucket connection',
    description: 'Tasks that still need it fail, or do not deliver. The key needs the scope `connections`.',
    answer: 'empty',
    errors: [404],
  },
}
