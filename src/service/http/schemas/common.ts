/**
 * Schemas that several shapes share. Every object that is used twice, and every alternative of a union, has a name,
 * so that client generators create one type with that name.
 */
import * as z from 'zod'
import { REQUESTABLE_OUTPUTS } from '../../../core/catalog/outputs.ts'
import { TARGET_SCORES } from '../../../core/catalog/score-goal.ts'
import { idPattern } from '../../store/ids.ts'

// Workers forbid code generation from strings, which zod would otherwise try.
z.config({ jitless: true })

export const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time', description: 'ISO 8601, UTC, with milliseconds' })
export const bytes = z.int().min(0).meta({ format: 'int64', description: 'Bytes' })
export const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('SHA-256 in hex')
export const taskId = z.string().regex(idPattern('tsk')).describe('Id of the task')
export const uploadId = z.string().regex(idPattern('upl')).describe('Id of the resumable upload')
export const batchId = z
  .string()
  .regex(/^bat_[0-9A-Za-z]{24}$/)
  .describe('Id of the batch')

export const CONNECTION_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/

export const QUALITIES = ['low', 'medium', 'high', 'ultra'] as const

export const qualityName = z
  .enum(QUALITIES)
  .meta({ id: 'Quality', description: 'Level of quality, from the smallest file to the most faithful one' })
export const outputFormat = z
  .string()
  .min(1)
  .max(40)
  .meta({
    id: 'OutputFormat',
    // Extensions and aliases are accepted as well, so the list is documentation and no check.
    enum: [...REQUESTABLE_OUTPUTS],
    description: 'Output format; `outputs` of /v1/formats lists those of each format. Default: the format of the file.',
  })
export const targetScore = z
  .number()
  .min(TARGET_SCORES.least)
  .max(TARGET_SCORES.most)
  .describe('SSIMULACRA 2 score that the request asked for. Absent: `quality` decided')
export const fidelity = z.enum(['lossless', 'perceptual']).meta({
  id: 'Fidelity',
  description: '`lossless`: the decoded content is identical. `perceptual`: it differs, and the receipt says how much',
})
export const planName = z.enum(['free', 'basic', 'pro', 'enterprise']).meta({ id: 'Plan', description: 'Plan of the account' })

/** Discriminator of a union: the field and its values (OpenAPI 3.1, 4.8.25). */
export const discriminator = (propertyName: string, names: Readonly<Record<string, string>>) => ({
  discriminator: {
    propertyName,
    mapping: Object.fromEntries(Object.entries(names).map(([word, name]) => [word, `#/components/schemas/${name}`])),
  },
  // Without explicit words, openapi-generator for PHP creates one class for all alternatives, with the words of the last one.
  properties: {
    [propertyName]: {
      type: 'string',
      description: `Selects the schema: ${Object.keys(names)
        .map((word) => `\`${word}\``)
        .join(', ')}`,
    },
  },
})

export const ofTestKeys = z.literal(true).describe('True for test keys (`whl_test_…`), which have separate limits, storage and usage')
