/** Origins of pictures on the fly: show, store and remove them, and purge what was made of their pictures. */

import type * as z from 'zod'
import { outgoingRules } from '../../env.ts'
import { apiMessage } from '../../i18n/message.ts'
import { type ImageOrigin, type ImagePlace, imageKeyOf, imageSecretOf, MAX_IMAGE_ORIGINS, ORIGIN_NAME } from '../../store/image-origins.ts'
import { ApiError, invalidParameter } from '../../tasks/api-error.ts'
import { unknownConnection } from '../../tasks/connections.ts'
import { checkOutgoingUrl } from '../../tasks/outgoing-url.ts'
import { deleteBlobs } from '../../tasks/picture-source.ts'
import { readJson } from '../body.ts'
import type { AppContext } from '../context.ts'
import { pictureCacheOf } from '../picture-cache.ts'
import { json, type Route } from '../route.ts'
import { imageOrigin, imageOriginFields, imageOrigins, purged, purgeQuery, storedImageOrigin } from '../schemas/image-origins.ts'
import { parseOrRefuse } from '../schemas/requests.ts'

const PATH = '/v1/image-origins/{name}'

export const listImageOrigins: Route = {
  method: 'GET',
  path: '/v1/image-origins',
  access: 'tasks:read',
  async handle(c) {
    const { origins, generation } = await picturesOf(c).origins()
    return json({ image_origins: origins.map((origin) => shown(c, origin, generation)) })
  },
  doc: { id: 'listImageOrigins', summary: 'All origins of pictures on the fly', answer: imageOrigins, errors: [] },
}

export const getImageOrigin: Route = {
  method: 'GET',
  path: PATH,
  access: 'tasks:read',
  async handle(c) {
    const name = nameOf(c)
    const found = await picturesOf(c).origin(name)
    if (!found) throw unknownOrigin(name)
    return json(shown(c, found.origin, found.generation))
  },
  doc: { id: 'getImageOrigin', summary: 'An origin of pictures on the fly', answer: imageOrigin, errors: [404] },
}

export const putImageOrigin: Route = {
  method: 'PUT',
  path: PATH,
  access: 'compress',
  async handle(c) {
    const name = nameOf(c)
    if (!ORIGIN_NAME.test(name))
      throw invalidParameter('name', apiMessage('field_wrong', { name: 'name', why: apiMessage('must_be_name_of_origin') }))
    const fields = parseOrRefuse(imageOriginFields, await readJson(c.req.raw))
    const secret = c.env.SECRET_KEY
    if (secret === undefined) throw new ApiError('maintenance', 'images_need_secret')
    const origin = { name, ...(await checkedPlace(c, fields)) }
    const stored = await picturesOf(c).putOrigin(origin, fields.new_secret)
    if (!stored)
      throw new ApiError('too_many_image_origins', apiMessage('too_many_image_origins', { limit: MAX_IMAGE_ORIGINS }), {
        limit: MAX_IMAGE_ORIGINS,
      })
    // Variants of another address must not be shown any longer.
    await purgeAll(c, name)
    const view = shown(c, origin, stored.generation)
    return json(stored.isNew ? { ...view, image_secret: await imageSecretOf(view.image_key, secret) } : view)
  },
  doc: {
    id: 'putImageOrigin',
    summary: 'Allow an origin for pictures on the fly',
    description:
      'Pictures below this address, or in this bucket, can be shown by `/img/…`. The first origin of an account, and `new_secret`, make the secret that signs those addresses; it is shown only in this answer.',
    json: imageOriginFields,
    answer: storedImageOrigin,
    errors: [400, 404, 409],
  },
}

export const deleteImageOrigin: Route = {
  method: 'DELETE',
  path: PATH,
  access: 'compress',
  async handle(c) {
    const name = nameOf(c)
    if (!(await picturesOf(c).removeOrigin(name))) throw unknownOrigin(name)
    await purgeAll(c, name)
    return new Response(null, { status: 204 })
  },
  doc: { id: 'deleteImageOrigin', summary: 'Remove an origin and its pictures', answer: 'empty', errors: [404] },
}

export const purgeImageOrigin: Route = {
  method: 'DELETE',
  path: `${PATH}/cache`,
  access: 'compress',
  query: purgeQuery,
  async handle(c) {
    const name = nameOf(c)
    const { path } = parseOrRefuse(purgeQuery, Object.fromEntries(c.get('url').searchParams))
    if (!(await picturesOf(c).origin(name))) throw unknownOrigin(name)
    return json({ purged: await purgeAll(c, name, path) })
  },
  doc: {
    id: 'purgeImageOrigin',
    summary: 'Forget what was made of the pictures of an origin',
    description:
      'Of all pictures, or of the one at `path`. They are fetched and made again when they are next requested. Caches of the platform follow within 60 s; browsers keep what they have for up to an hour.',
    answer: purged,
    errors: [404],
  },
}

const nameOf = (c: AppContext) => c.req.param('name') ?? ''
const picturesOf = (c: AppContext) => c.env.ACCOUNTS.getByName(c.get('key').accountId).pictures

const shown = (c: AppContext, origin: ImageOrigin, generation: number) => ({
  ...origin,
  image_key: imageKeyOf({ accountId: c.get('key').accountId, generation }),
})

/** Returns the number of forgotten variants. */
async function purgeAll(c: AppContext, name: string, path?: string): Promise<number> {
  for (let sum = 0; ; ) {
    const { blobs, variants } = await picturesOf(c).purge(name, path)
    await deleteBlobs(c.env, blobs)
    sum += variants
    if (blobs.length > 0) continue
    pictureCacheOf(c.env).clear()
    return sum
  }
}

/** @throws ApiError `unsafe_url`, `invalid_parameter` or `unknown_connection` */
async function checkedPlace(c: AppContext, { origin, bucket }: z.output<typeof imageOriginFields>): Promise<ImagePlace> {
  if ((origin === undefined) === (bucket === undefined)) throw invalidParameter('origin', 'origin_or_bucket')
  if (origin !== undefined) return { origin: checkedOrigin(c, origin) }
  const found = await c.env.ACCOUNTS.getByName(c.get('key').accountId).connections.find(bucket!.connection)
  if (!found) throw unknownConnection(bucket!.connection)
  return { bucket: bucket! }
}

/** Returns the address normalised. @throws ApiError `unsafe_url` or `invalid_parameter` */
function checkedOrigin(c: AppContext, origin: string): string {
  const checked = checkOutgoingUrl(origin, outgoingRules(c.env))
  if (!checked.ok) throw new ApiError('unsafe_url', apiMessage('field_unusable', { name: 'origin', why: checked.why }), { param: 'origin' })
  const { pathname, search, hash } = new URL(checked.url)
  if (pathname.endsWith('/') && search === '' && hash === '') return checked.url
  throw invalidParameter('origin', apiMessage('field_wrong', { name: 'origin', why: apiMessage('must_end_with_slash') }))
}

const unknownOrigin = (name: string) =>
  new ApiError('unknown_image_origin', apiMessage('no_such_image_origin', { name: name.slice(0, 40) }))
