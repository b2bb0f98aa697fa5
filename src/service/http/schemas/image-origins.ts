/** Schemas of origins for pictures on the fly. */
import * as z from 'zod'
import { connection, prefix } from './places.ts'

const bucket = z
  .strictObject({
    connection,
    prefix: prefix.default('').describe('Beginning of the keys, such as `photos/`. The path of a picture follows'),
  })
  .meta({ id: 'ImageBucket', description: 'Bucket that pictures come from, instead of `origin`' })

export const imageOriginFields = z.strictObject({
  origin: z
    .string()
    .min(1)
    .max(1024)
    .optional()
    .describe('Address that the path of a picture is appended to: https with a public domain name, with a slash at its end'),
  bucket: bucket.optional(),
  new_secret: z
    .boolean()
    .default(false)
    .describe('True: the account gets a new image key and secret, and all addresses that were signed before stop working'),
})

const fields = {
  name: z.string().describe('Name of the origin in addresses'),
  origin: z.string().optional().describe('Address that the path of a picture is appended to'),
  bucket: bucket.optional(),
  image_key: z.string().describe('Name of the account in addresses'),
}

export const imageOrigin = z.object(fields).meta({ id: 'ImageOrigin' })

export const imageOrigins = z
  .object({ image_origins: z.array(imageOrigin).describe('All origins, in order of their names') })
  .meta({ id: 'ImageOrigins' })

export const storedImageOrigin = z
  .object({
    ...fields,
    image_secret: z.string().optional().describe('Secret that signs addresses, if it was made now. It is shown only here'),
  })
  .meta({ id: 'StoredImageOrigin' })

export const purgeQuery = z.object({
  path: z.string().min(1).max(3072).optional().describe('Path of one picture below the origin. Default: all pictures'),
})

export const purged = z.object({ purged: z.int().min(0).describe('Number of variants that were forgotten') }).meta({ id: 'PurgedPictures' })
