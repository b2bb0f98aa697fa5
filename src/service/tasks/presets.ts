/** Presets: named sets of job options, ready-made or of an account. */

import type { Env } from '../env.ts'
import { apiMessage } from '../i18n/message.ts'
import type { Plan } from '../store/plans.ts'
import type { PresetOptions, StoredPreset } from '../store/presets.ts'
import { invalidParameter } from './api-error.ts'
import type { JobOptions } from './job-options.ts'

/** Ready-made presets, with the fields that the API shows. Nobody can change them. */
export const READY_PRESETS: Readonly<Record<string, StoredPreset>> = {
  web: { fields: { quality: 'medium', metadata: 'safe' }, options: { quality: 'medium', metadata: 'safe' } },
  email: { fields: { quality: 'low' }, options: { quality: 'low' } },
  archive: { fields: { quality: 'high' }, options: { quality: 'high' } },
  print: { fields: { quality: 'high', metadata: 'safe' }, options: { quality: 'high', metadata: 'safe' } },
}

/** Returns a ready-made preset or one of the account. `undefined`: there is none with this name. */
export const findPreset = async (env: Env, accountId: string, name: string): Promise<StoredPreset | undefined> =>
  READY_PRESETS[name] ?? (await env.ACCOUNTS.getByName(accountId).presets.find(name))

/**
 * Returns the options of the preset that a request names.
 * @throws ApiError `invalid_parameter` if it does not exist
 */
export async function presetOptions(env: Env, accountId: string, name: string): Promise<PresetOptions> {
  const preset = await findPreset(env, accountId, name)
  if (preset) return preset.options
  throw invalidParameter('preset', apiMessage('no_such_preset', { name }), { got: name, allowed: Object.keys(READY_PRESETS) })
}

/**
 * Leaves out the options of a preset that do not apply to a request.
 * @param chosen options that the client chose
 * @param several true for a batch, which has no `targetSize` and answers with tasks
 */
export function presetFor(
  { retention, response, targetSize, ...others }: PresetOptions,
  chosen: Partial<JobOptions>,
  { plan, several }: { readonly plan: Plan; readonly several: boolean },
): PresetOptions {
  const answersWithFile = !several && (chosen.response ?? response) === 'file'
  const keepsNothing = retention === 0 && (!answersWithFile || chosen.destination !== undefined)
  return {
    ...others,
    ...(targetSize === undefined || several ? {} : { targetSize }),
    ...(response === undefined || several ? {} : { response }),
    ...(retention === undefined || keepsNothing ? {} : { retention: Math.min(retention, Math.floor(plan.retentionMs / 1000)) }),
  }
}
