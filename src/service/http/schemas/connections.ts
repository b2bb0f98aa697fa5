/** Schemas of bucket connections. */
import * as z from 'zod'
import type { BucketSettings } from '../../buckets/settings.ts'
import type { ApiPlainCode } from '../../i18n/message.ts'
import type { ShownConnection, StoredConnection } from '../../store/connections.ts'
import { CONNECTION_NAME, discriminator, time } from './common.ts'
import { parseOrRefuse } from './requests.ts'

/** True for an address without query and fragment. The guard of outgoing addresses checks the rest. */
const isEndpoint = (text: string) => URL.canParse(text) && !/[?#]/.test(text)

const code = (known: ApiPlainCode) => known
/** Text without spaces and control characters, as it stands in headers and queries. */
const visible = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[\x21-\x7e]+$/, code('must_be_visible_ascii'))

const endpoint = z.string().max(500).refine(isEndpoint, code('must_be_endpoint'))
const s3Endpoint = endpoint.describe('Address of the service, without the bucket: `https://s3.eu-central-1.amazonaws.com`')
const region = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,64}$/, code('is_not_valid'))
  .describe('Region of the bucket, such as `eu-central-1`. Services without regions use `auto` or `us-east-1`')
const bucket = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/, code('must_be_bucket_name'))
  .describe('Name of the bucket')
const pathStyle = z.boolean().describe('`true`: the bucket stands in the path of addresses. `false`: in the host name')
const azureEndpoint = endpoint.describe('Address of the blob service: `https://ACCOUNT.blob.core.windows.net`')
const container = z
  .string()
  .regex(/^(\$root|\$web|[a-z0-9](-?[a-z0-9]){2,62})$/, code('must_be_container_name'))
  .describe('Name of the container')
const accountName = z
  .string()
  .regex(/^[a-z0-9-]{3,40}$/, code('is_not_valid'))
  .describe('Name of the storage account')

const S3 = 'An S3-compatible bucket: AWS, Cloudflare R2, Google Cloud Storage, Backblaze B2, MinIO and others.'
const AZURE = 'A container of Azure Blob Storage.'
const isOneCredential = (fields: { account_key?: string | undefined; sas_token?: string | undefined }) =>
  (fields.account_key === undefined) !== (fields.sas_token === undefined)

const s3Fields = z
  .strictObject({
    type: z.literal('s3').describe('Kind of the service'),
    endpoint: s3Endpoint,
    region,
    bucket,
    access_key_id: visible(128)
      .regex(/^[^/,]+$/, code('is_not_valid'))
      .describe('Id of the access key'),
    secret_access_key: visible(256).describe('Secret of the access key. It is stored encrypted and never shown'),
    path_style: pathStyle.default(true),
  })
  .meta({ id: 'S3ConnectionFields', description: S3 })
const azureFields = z
  .strictObject({
    type: z.literal('azure').describe('Kind of the service'),
    endpoint: azureEndpoint,
    container,
    account_name: accountName,
    account_key: z
      .base64({ error: code('is_not_valid') })
      .min(1)
      .max(256)
      .optional()
      .describe('Key of the account in base64. It is stored encrypted and never shown'),
    sas_token: visible(2048)
      .regex(/^[^#]+$/, code('is_not_valid'))
      .optional()
      .describe('Shared access signature, such as `sv=…&sig=…`, instead of `account_key`. It is stored encrypted and never shown'),
  })
  .refine(isOneCredential, code('one_credential_only'))
  .meta({ id: 'AzureConnectionFields', description: AZURE })

/** Body of `PUT /v1/connections/{name}`. */
export const connectionFields = z.discriminatedUnion('type', [s3Fields, azureFields]).meta({
  id: 'ConnectionFields',
  ...discriminator('type', { s3: 'S3ConnectionFields', azure: 'AzureConnectionFields' }),
})

const name = z.string().regex(CONNECTION_NAME).describe('Name of the connection')
const saved = time.describe('Time of the last change: ISO 8601, UTC, with milliseconds')
export const connection = z
  .discriminatedUnion('type', [
    z
      .object({
        name,
        type: z.literal('s3').describe('Kind of the service'),
        endpoint: s3Endpoint,
        region,
        bucket,
        access_key_id: z.string().describe('Id of the access key, shortened'),
        path_style: pathStyle,
        saved_at: saved,
      })
      .meta({ id: 'S3Connection', description: S3 }),
    z
      .object({
        name,
        type: z.literal('azure').describe('Kind of the service'),
        endpoint: azureEndpoint,
        container,
        account_name: accountName,
        saved_at: saved,
      })
      .meta({ id: 'AzureConnection', description: AZURE }),
  ])
  .meta({
    id: 'Connection',
    description: 'A named bucket. Its credentials are never shown.',
    ...discriminator('type', { s3: 'S3Connection', azure: 'AzureConnection' }),
  })
export const connections = z
  .object({ connections: z.array(connection).describe('All connections, in order of their names') })
  .meta({ id: 'Connections' })

/** @throws ApiError `invalid_parameter` for the first field that is not valid. It never repeats a value, which may be a secret. */
export function parseConnectionFields(body: unknown): BucketSettings {
  const { type } = parseOrRefuse(z.object({ type: z.enum(['s3', 'azure']) }), body)
  if (type === 's3') {
    const { endpoint: address, region: zone, bucket: known, ...fields } = parseOrRefuse(s3Fields, body)
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, path_style: isPath } = fields
    return { type, endpoint: address, region: zone, bucket: known, accessKeyId, secretAccessKey, pathStyle: isPath }
  }
  const fields = parseOrRefuse(azureFields, body)
  const { account_name: account, account_key: accountKey, sas_token: sasToken = '' } = fields
  const credential = accountKey === undefined ? { sasToken } : { accountKey }
  return { type, endpoint: fields.endpoint, container: fields.container, accountName: account, credential }
}

/** A connection as the API shows it. */
export const connectionView = ({ name: called, shown, savedAt }: StoredConnection) => ({
  name: called,
  ...viewOf(shown),
  saved_at: new Date(savedAt).toISOString(),
})

function viewOf(shown: ShownConnection) {
  if (shown.type === 'azure') {
    const { accountName: account, ...rest } = shown
    return { ...rest, account_name: account }
  }
  const { accessKeyId, pathStyle: isPath, ...rest } = shown
  return { ...rest, access_key_id: accessKeyId, path_style: isPath }
}
