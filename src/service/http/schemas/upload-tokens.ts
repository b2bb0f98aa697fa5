/** Schemas of browser tokens. */
import * as z from 'zod'
import { FORMATS, type FormatId } from '../../../core/catalog/index.ts'
import type { ApiPlainCode } from '../../i18n/message.ts'
import { MAX_TOKEN_FILES, MAX_TOKEN_SECONDS } from '../../store/upload-tokens.ts'
import { isLoopback } from '../loopback.ts'
import { QUALITIES, time } from './common.ts'

/** True if browsers write an origin like this (RFC 6454), and a page there is not open to others in the network. */
function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  if (url?.origin !== text) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

const FORMAT_IDS = Object.keys(FORMATS) as FormatId[]

export const uploadTokenFields = z.strictObject({
  origin: z
    .string()
    .max(300)
    .refine(isOrigin, 'must_be_origin' satisfies ApiPlainCode)
    .describe('Origin of the pages that may use the token, such as `https://app.example.com`'),
  expires_in: z.int().min(1).max(MAX_TOKEN_SECONDS).default(300).describe('Seconds until the token stops working'),
  max_files: z.int().min(1).max(MAX_TOKEN_FILES).default(1).describe('Number of files. Refused files do not count'),
  max_bytes: z.int().min(1).max(1e12).optional().describe('Largest size of a file in bytes. Default: that of the plan'),
  formats: z
    .array(z.enum(FORMAT_IDS))
    .min(1)
    .max(FORMAT_IDS.length)
    .optional()
    .describe('Formats of the files, as in `GET /v1/formats`. Default: all'),
  quality: z.enum(QUALITIES).optional().describe('Level of all files. Default: the page chooses'),
})

export const uploadToken = z
  .object({
    token: z.string().describe('Bearer token for the page. It is shown only here'),
    expires_at: time.describe('Time from which the token no longer works'),
  })
  .meta({ id: 'UploadToken' })
