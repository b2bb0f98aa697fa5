/** Presets: show, store and remove named sets of compress fields. */

import { apiMessage } from '../../i18n/message.ts'
import { PLANS } from '../../store/plans.ts'
import { MAX_PRESETS, type PresetOptions } from '../../store/presets.ts'
import { ApiError, invalidParameter } from '../../tasks/api-error.ts'
import { checkOutputName, checkRetention } from '../../tasks/job-options.ts'
import { findPreset, READY_PRESETS } from '../../tasks/presets.ts'
import { checkCallback } from '../../tasks/submit.ts'
import { readJsonObject } from '../body.ts'
import type { AppContext } from '../context.ts'
import { textOf } from '../json-form.ts'
import { json, type Route } from '../route.ts'
import { checkField, PRESET_NAME, parseJobOptions, presetFields } from '../schemas/requests.ts'
import { preset as presetShape } from '../schemas/service.ts'
import { refuseUnknownNames } from '../unknown-fields.ts'

const PATH = '/v1/presets/{name}'

export const getPreset: Route = {
  method: 'GET',
  path: PATH,
  access: 'tasks:read',
  async handle(c) {
    const name = c.req.param('name') ?? ''
    const found = PRESET_NAME.test(name) ? await findPreset(c.env, c.get('key').accountId, name) : undefined
    if (!found) throw unknownPreset(name)
    return json(found.fields)
  },
  doc: {
    id: 'getPreset',
    summary: 'The fields of a preset',
    description: 'A preset of the account, or one of the ready-made presets `web`, `email`, `archive` and `print`.',
    answer: presetShape,
    errors: [404],
  },
}

export const putPreset: Route = {
  method: 'PUT',
  path: PATH,
  access: 'compress',
  async handle(c) {
    const name = ownName(c)
    if (!PRESET_NAME.test(name))
      throw invalidParameter('name', apiMessage('field_wrong', { name: 'name', why: apiMessage('must_be_name_of_preset') }))
    const fields = fieldsOf(await readJsonObject(c.req.raw))
    const options = optionsOf(c, fields)
    const stored = await c.env.ACCOUNTS.getByName(c.get('key').accountId).presets.put(name, { fields, options })
    if (!stored) throw new ApiError('too_many_presets', apiMessage('too_many_presets', { limit: MAX_PRESETS }), { limit: MAX_PRESETS })
    return json(fields)
  },
  doc: {
    id: 'putPreset',
    summary: 'Store a preset',
    description:
      'Replaces the whole preset. `preset=NAME` then adds its fields to a request; fields that the request has itself take precedence, and fields that the file cannot have are left out.',
    json: presetShape,
    answer: presetShape,
    errors: [400, 405, 409],
  },
}

export const deletePreset: Route = {
  method: 'DELETE',
  path: PATH,
  access: 'compress',
  async handle(c) {
    const name = ownName(c)
    const removed = PRESET_NAME.test(name) && (await c.env.ACCOUNTS.getByName(c.get('key').accountId).presets.remove(name))
    if (!removed) throw unknownPreset(name)
    return new Response(null, { status: 204 })
  },
  doc: { id: 'deletePreset', summary: 'Delete a preset', answer: 'empty', errors: [404, 405] },
}

/** Returns the name of the path, unless it is that of a ready-made preset. */
function ownName(c: AppContext): string {
  const name = c.req.param('name') ?? ''
  if (!Object.hasOwn(READY_PRESETS, name)) return name
  throw new ApiError(
    'method_not_allowed',
    apiMessage('ready_preset_fixed', { name }),
    { allowed: ['GET'] },
    { Allow: 'GET, HEAD, OPTIONS' },
  )
}

const unknownPreset = (name: string) => new ApiError('unknown_preset', apiMessage('no_such_preset', { name: name.slice(0, 40) }))

/** Fields of a preset as the client wrote them. `null` means that a field is not there. */
function fieldsOf(body: Readonly<Record<string, unknown>>): Record<string, string | number> {
  const known = Object.keys(presetFields.shape)
  refuseUnknownNames(Object.keys(body), known)
  const fields: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(body)) {
    if (value === null) continue
    const text = textOf(name, value)
    checkField(presetFields, name, text)
    fields[name] = typeof value === 'number' ? value : text
  }
  return fields
}

function optionsOf(c: AppContext, fields: Readonly<Record<string, string | number>>): PresetOptions {
  const plan = PLANS[c.get('key').plan]
  const options = parseJobOptions(presetFields, new Map(Object.entries(fields).map(([name, value]) => [name, String(value)])))
  if (options.format !== undefined) checkOutputName(options.format)
  checkRetention(plan, options)
  return options.callbackUrl === undefined ? options : { ...options, callbackUrl: checkCallback(c.env, plan, options.callbackUrl) }
}
