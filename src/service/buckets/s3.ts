/** Protocol of Amazon S3 (API version 2006-03-01), which many services speak, with AWS Signature Version 4. */
import { AwsV4Signer } from 'aws4fetch'
import { entryOf } from './answers.ts'
import type { BucketRequest, SignedRequest } from './client.ts'
import { queryOf } from './encode.ts'
import type { StoreProtocol } from './http-store.ts'
import { BucketError, type BucketTrouble, type ListOptions, MAX_PAGE_OBJECTS, type ObjectHeaders, type ObjectPage } from './object-store.ts'
import { bucketAddress, type S3Settings } from './settings.ts'
import { percentDecode, readXml } from './xml.ts'

const ROOT = 'ListBucketResult'
/** Answer of `ListObjectsV2`. */
const LIST = {
  record: `${ROOT}/Contents`,
  fields: ['Key', 'Size', 'ETag', 'LastModified'],
  facts: [`${ROOT}/IsTruncated`, `${ROOT}/NextContinuationToken`, `${ROOT}/EncodingType`],
} as const

export class S3Protocol implements StoreProtocol {
  readonly address: string
  /** Error codes whose status does not tell what happened (S3 API, "List of error codes"). */
  readonly troubles: Readonly<Record<string, BucketTrouble>> = {
    NoSuchBucket: 'missing_bucket',
    NoSuchKey: 'missing_object',
    ExpiredToken: 'unauthorised',
    InvalidToken: 'unauthorised',
    RequestTimeout: 'busy',
    SlowDown: 'busy',
  }
  readonly #settings: S3Settings

  constructor(settings: S3Settings) {
    this.#settings = settings
    this.address = bucketAddress(settings)
  }

  /** The signature does not cover bodies (`UNSIGNED-PAYLOAD`), because a stream has no hash before it ends. TLS protects them. */
  async sign({ method, url, headers = {} }: BucketRequest): Promise<SignedRequest> {
    const { accessKeyId, secretAccessKey, region } = this.#settings
    const signer = new AwsV4Signer({ method, url, headers: { ...headers }, accessKeyId, secretAccessKey, region, service: 's3' })
    return { url, headers: (await signer.sign()).headers }
  }

  listUrl(prefix: string, { cursor, limit = MAX_PAGE_OBJECTS }: ListOptions): string {
    const query = { 'list-type': '2', prefix, 'max-keys': String(limit), 'encoding-type': 'url', 'continuation-token': cursor }
    return `${this.address}/?${queryOf(query)}`
  }

  pageOf(text: string): ObjectPage {
    const { facts, records } = readXml(text, LIST)
    const isTruncated = facts.get(`${ROOT}/IsTruncated`)
    const next = facts.get(`${ROOT}/NextContinuationToken`)
    if (isTruncated === undefined || (isTruncated === 'true' && !next)) throw new BucketError('malformed')
    // XML cannot represent every key. A server that encodes keys writes them as in a form, with `+` for a space.
    const isEncoded = facts.get(`${ROOT}/EncodingType`) === 'url'
    const keyOf = (key = '') => (isEncoded ? percentDecode(key.replaceAll('+', ' ')) : key)
    const objects = records.map((record) =>
      entryOf(keyOf(record.get('Key')), record.get('Size'), record.get('ETag'), record.get('LastModified')),
    )
    return { objects, ...(isTruncated === 'true' && next ? { next } : {}) }
  }

  writeHeaders({ contentType, contentDisposition }: ObjectHeaders): Readonly<Record<string, string>> {
    return { 'content-type': contentType, ...(contentDisposition === undefined ? {} : { 'content-disposition': contentDisposition }) }
  }
}
