/** What the form of a connection sends for each service, and how the page recognises the service again. */
import { expect, it } from 'vitest'
import { fieldsOf, type ServiceId, serviceOf } from '../../console/src/buckets/services.ts'
import type { Connection } from '../../console/src/buckets/types.ts'
import { parseConnectionFields } from '../../src/service/http/schemas/connections.ts'

const KEYS = { access_key_id: 'AKIDEXAMPLE', secret: 'c2VjcmV0', bucket: 'photos' }

function formOf(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

const CASES: [service: ServiceId, fields: Record<string, string>, endpoint: string, region: string][] = [
  ['aws', { place: ' eu-central-1 ' }, 'https://s3.eu-central-1.amazonaws.com', 'eu-central-1'],
  ['aws', { place: 'cn-north-1' }, 'https://s3.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
  ['r2', { place: '0123456789abcdef0123456789abcdef' }, 'https://0123456789abcdef0123456789abcdef.r2.cloudflarestorage.com', 'auto'],
  ['gcs', {}, 'https://storage.googleapis.com', 'auto'],
  ['b2', { place: 'us-west-004' }, 'https://s3.us-west-004.backblazeb2.com', 'us-west-004'],
  ['other', { place: 'https://minio.example.com', region: '' }, 'https://minio.example.com', 'us-east-1'],
]

it.each(CASES)('sends what the API takes for %s, and recognises it: %j', (service, fields, endpoint, region) => {
  const sent = fieldsOf(service, formOf({ ...KEYS, ...fields }))
  const pathStyle = service !== 'other'
  expect(parseConnectionFields(sent)).toEqual({
    ...{ type: 's3', endpoint, region, bucket: 'photos', pathStyle },
    ...{ accessKeyId: KEYS.access_key_id, secretAccessKey: KEYS.secret },
  })
  const shown = { ...sent, name: 'shop', saved_at: '' } as Connection
  expect(serviceOf(shown)).toEqual({ service, place: (fields['place'] ?? '').trim() })
})

it.each([
  ['key', { accountKey: KEYS.secret }],
  ['sas', { sasToken: 'sv=1&sig=x' }],
])('sends an account of Azure with a %s', (credential, expected) => {
  const secret = credential === 'sas' ? '?sv=1&sig=x' : KEYS.secret
  const sent = fieldsOf('azure', formOf({ ...KEYS, place: 'shop', endpoint: '', credential, secret }))
  expect(parseConnectionFields(sent)).toEqual({
    ...{ type: 'azure', endpoint: 'https://shop.blob.core.windows.net', container: 'photos', accountName: 'shop' },
    credential: expected,
  })
})

it('keeps the style of addresses of a connection that is changed, and takes another address as it is', () => {
  const known: Connection = {
    ...{ name: 'shop', type: 's3', endpoint: 'https://s3.eu-west-1.amazonaws.com', region: 'eu-west-1', bucket: 'photos' },
    ...{ access_key_id: 'AKID…', path_style: false, saved_at: '' },
  }
  expect(fieldsOf('aws', formOf({ ...KEYS, place: 'eu-west-1' }), known)).toMatchObject({ path_style: false })
  expect(serviceOf({ ...known, region: 'eu-west-2' })).toEqual({ service: 'other', place: known.endpoint })
  const evil = 'https://s3.eu-west-1.amazonaws.com.example.com'
  expect(serviceOf({ ...known, endpoint: evil })).toEqual({ service: 'other', place: evil })
})
