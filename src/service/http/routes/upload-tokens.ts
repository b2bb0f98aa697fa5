/** POST /v1/upload-tokens: short-lived secrets with which a page sends files itself. */

import { apiMessage } from '../../i18n/message.ts'
import { hashKey } from '../../store/key-format.ts'
import { makeToken } from '../../store/token-format.ts'
import { MAX_TOKENS, type UploadToken } from '../../store/upload-tokens.ts'
import { ApiError } from '../../tasks/api-error.ts'
import { readJson } from '../body.ts'
import { json, type Route } from '../route.ts'
import { parseOrRefuse } from '../schemas/requests.ts'
import { uploadToken, uploadTokenFields } from '../schemas/upload-tokens.ts'

export const createUploadToken: Route = {
  method: 'POST',
  path: '/v1/upload-tokens',
  access: 'tokens',
  async handle(c) {
    const fields = parseOrRefuse(uploadTokenFields, await readJson(c.req.raw))
    const gate = c.get('gate')
    const text = makeToken(gate)
    const expiresAt = Date.now() + fields.expires_in * 1000
    const token: UploadToken = {
      id: await hashKey(text),
      origin: fields.origin,
      expiresAt,
      maxFiles: fields.max_files,
      ...(fields.max_bytes === undefined ? {} : { maxBytes: fields.max_bytes }),
      ...(fields.formats === undefined ? {} : { formats: fields.formats }),
      ...(fields.quality === undefined ? {} : { quality: fields.quality }),
    }
    if (!(await c.env.KEY_GATES.getByName(gate).createToken(token)))
      throw new ApiError('too_many_tokens', apiMessage('too_many_tokens', { limit: MAX_TOKENS }), { limit: MAX_TOKENS })
    return json({ token: text, expires_at: new Date(expiresAt).toISOString() })
  },
  doc: {
    id: 'createUploadToken',
    summary: 'A token with which a page sends files itself',
    description:
      'A page of `origin` uses the token instead of an API key for `POST /v1/compress`, `/v1/uploads`, and reading the tasks that it made. Its requests count for the key that made it. The token ends with its time, its files, or the key. The key needs the scope `tokens`.',
    json: uploadTokenFields,
    answer: uploadToken,
    errors: [400, 409],
  },
}
