/** Services that hold buckets: their names, and the addresses that follow from a region or an account. */
import type { Connection } from './types.ts'

export const SERVICES = {
  aws: 'Amazon S3',
  r2: 'Cloudflare R2',
  gcs: 'Google Cloud Storage',
  b2: 'Backblaze B2',
  azure: 'Azure Blob Storage',
  other: 'MinIO or another S3 service',
} as const

export type ServiceId = keyof typeof SERVICES

/** What a person writes to say where the bucket is. `undefined`: the service has one address. */
export const ASKED: Readonly<Record<ServiceId, 'region' | 'account' | 'endpoint' | undefined>> = {
  aws: 'region',
  r2: 'account',
  gcs: undefined,
  b2: 'region',
  azure: 'account',
  other: 'endpoint',
}

/** Text of a field, without spaces around a pasted value. */
const field = (form: FormData, name: string) => String(form.get(name) ?? '').trim()

/** Address of the service. `place`: the region or account that the person wrote. */
function endpointOf(service: ServiceId, place: string): string {
  switch (service) {
    case 'aws':
      return `https://s3.${place}.amazonaws.com${place.startsWith('cn-') ? '.cn' : ''}`
    case 'r2':
      return `https://${place}.r2.cloudflarestorage.com`
    case 'gcs':
      return 'https://storage.googleapis.com'
    case 'b2':
      return `https://s3.${place}.backblazeb2.com`
    case 'azure':
      return `https://${place}.blob.core.windows.net`
    case 'other':
      return place
  }
}

/** Region that requests are signed for. Services without regions use `auto`. */
function regionOf(service: ServiceId, form: FormData): string {
  if (service === 'other') return field(form, 'region') || 'us-east-1'
  return ASKED[service] === 'region' ? field(form, 'place') : 'auto'
}

/** Body of `PUT /v1/connections/{name}`. */
export function fieldsOf(service: ServiceId, form: FormData, known?: Connection): object {
  const place = field(form, 'place')
  if (service === 'azure') {
    const credential =
      form.get('credential') === 'sas' ? { sas_token: field(form, 'secret').replace(/^\?/, '') } : { account_key: field(form, 'secret') }
    const endpoint = field(form, 'endpoint') || endpointOf(service, place)
    return { type: 'azure', endpoint, container: field(form, 'bucket'), account_name: place, ...credential }
  }
  return {
    type: 's3',
    endpoint: endpointOf(service, place),
    region: regionOf(service, form),
    bucket: field(form, 'bucket'),
    access_key_id: field(form, 'access_key_id'),
    secret_access_key: field(form, 'secret'),
    path_style: service === 'other' ? form.get('path_style') !== null : known?.type === 's3' ? known.path_style : true,
  }
}

const ADDRESSES: readonly (readonly [service: ServiceId, address: RegExp])[] = [
  ['aws', /^https:\/\/s3\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/?$/],
  ['r2', /^https:\/\/([a-z0-9]+)\.r2\.cloudflarestorage\.com\/?$/],
  ['gcs', /^https:\/\/storage\.googleapis\.com\/?()$/],
  ['b2', /^https:\/\/s3\.([a-z0-9-]+)\.backblazeb2\.com\/?$/],
]

/** Service of a saved connection, and the region, account or address that a person would write for it. */
export function serviceOf(connection: Connection): { readonly service: ServiceId; readonly place: string } {
  if (connection.type === 'azure') return { service: 'azure', place: connection.account_name }
  for (const [service, address] of ADDRESSES) {
    const place = address.exec(connection.endpoint)?.[1]
    if (place !== undefined && (ASKED[service] !== 'region' || place === connection.region)) return { service, place }
  }
  return { service: 'other', place: connection.endpoint }
}

export const bucketOf = (connection: Connection) => (connection.type === 'azure' ? connection.container : connection.bucket)

/** Address without its scheme. */
export const hostOf = ({ endpoint }: Connection) => endpoint.replace(/^https?:\/\//, '').replace(/\/$/, '')
