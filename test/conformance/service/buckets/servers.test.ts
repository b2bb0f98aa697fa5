/** Tests of buckets of real servers inside workerd: MinIO and Azurite, which `start-servers.ts` starts. */
import { AwsV4Signer } from 'aws4fetch'
import { describe, expect, inject, it } from 'vitest'
import { azureSignature } from '../../../../src/service/buckets/azure-signature.ts'
import type { ObjectStore } from '../../../../src/service/buckets/object-store.ts'
import { openBucket } from '../../../../src/service/buckets/open-bucket.ts'
import { type AzureSettings, bucketAddress, type S3Settings } from '../../../../src/service/buckets/settings.ts'
import { bucketSuite, HARD_KEYS } from '../../../support/bucket-suite.ts'
import './provided.ts'

/** Account of Azurite, as its documentation names it. */
const AZURITE_ACCOUNT = 'devstoreaccount1'
const AZURITE_KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='

const access = { send: (url: string, request: RequestInit) => fetch(url, request), signal: new AbortController().signal, pausesMs: [] }
let count = 0

async function created(request: Promise<Response>): Promise<void> {
  const response = await request
  if (!response.ok) throw new Error(`The bucket was not created: ${response.status} ${await response.text()}`)
  await response.body?.cancel()
}

const s3Settings = (): S3Settings => ({
  ...{ type: 's3', endpoint: inject('minio'), region: 'us-east-1', bucket: `bucket-${++count}`, pathStyle: true },
  ...{ accessKeyId: 'minio-user', secretAccessKey: 'minio-password' },
})

async function s3Bucket(): Promise<S3Settings> {
  const settings = s3Settings()
  const signer = new AwsV4Signer({ ...settings, method: 'PUT', url: bucketAddress(settings), service: 's3' })
  const { url, headers } = await signer.sign()
  await created(fetch(url, { method: 'PUT', headers }))
  return settings
}

async function azureContainer(): Promise<AzureSettings> {
  const settings: AzureSettings = {
    ...{ type: 'azure', endpoint: `${inject('azurite')}/${AZURITE_ACCOUNT}`, container: `container-${++count}` },
    ...{ accountName: AZURITE_ACCOUNT, credential: { accountKey: AZURITE_KEY } },
  }
  const url = `${bucketAddress(settings)}?restype=container`
  const headers = { 'x-ms-version': '2021-12-02', 'x-ms-date': new Date().toUTCString() }
  const signature = await azureSignature({ method: 'PUT', url, headers, bytes: 0 }, AZURITE_ACCOUNT, AZURITE_KEY)
  await created(fetch(url, { method: 'PUT', headers: { ...headers, authorization: `SharedKey ${AZURITE_ACCOUNT}:${signature}` } }))
  return settings
}

const trouble = (work: Promise<unknown>) => work.catch((error: { trouble: unknown }) => error.trouble)

async function large(store: ObjectStore): Promise<void> {
  const size = 20_000_000
  const bytes = new Uint8Array(size).map((_, at) => at % 251)
  const { etag } = await store.write('large.bin', new Response(bytes).body!, size, { contentType: 'application/octet-stream' })
  const offset = size - 1_000_000
  const rest = new Uint8Array(await new Response((await store.read('large.bin', { offset, etag })).body).arrayBuffer())
  expect([rest.length, rest.findIndex((byte, at) => byte !== bytes[offset + at])]).toEqual([1_000_000, -1])
}

describe.skipIf(inject('minio') === '')('MinIO', () => {
  // MinIO refuses keys with slashes at the ends or side by side, and with a backslash or segments of dots.
  const keys = HARD_KEYS.filter((key) => !/\/\/|\/$/.test(key) && key.split('/').every((part) => part.length <= 255))
  bucketSuite(async () => openBucket(await s3Bucket(), access), keys)

  it('stores a large object, and reads its end', async () => {
    await large(openBucket(await s3Bucket(), access))
  })

  it('names wrong credentials and a missing bucket', async () => {
    const settings = await s3Bucket()
    expect(await trouble(openBucket({ ...settings, secretAccessKey: 'wrong-password' }, access).list(''))).toBe('unauthorised')
    expect(await trouble(openBucket({ ...settings, accessKeyId: 'nobody' }, access).list(''))).toBe('unauthorised')
    expect(await trouble(openBucket({ ...settings, bucket: 'no-such-bucket' }, access).list(''))).toBe('missing_bucket')
    expect(await trouble(openBucket(settings, access).read('../up.txt'))).toMatch(/refused|missing_object/)
  })
})

describe.skipIf(inject('azurite') === '')('Azurite', () => {
  bucketSuite(async () => openBucket(await azureContainer(), access), HARD_KEYS)

  it('stores a large object, and reads its end', async () => {
    await large(openBucket(await azureContainer(), access))
  })

  it('names wrong credentials and a missing container', async () => {
    const settings = await azureContainer()
    expect(await trouble(openBucket({ ...settings, credential: { accountKey: btoa('wrong') } }, access).list(''))).toBe('unauthorised')
    expect(await trouble(openBucket({ ...settings, container: 'no-such-container' }, access).list(''))).toBe('missing_bucket')
  })
})
