/** A bucket with the API of Amazon S3, for tests. It checks each signature by the text of AWS Signature Version 4, without aws4fetch. */
import type { S3Settings } from '../../src/service/buckets/settings.ts'
import { BucketDouble, escapeXml, hex, hexDigest, hmac, utf8 } from './bucket-double.ts'

/** Largest difference of the clocks in milliseconds. */
const MAX_SKEW_MS = 15 * 60_000

export class S3Double extends BucketDouble {
  readonly settings: S3Settings

  constructor(settings: Partial<S3Settings> = {}) {
    super()
    this.settings = {
      type: 's3',
      endpoint: 'https://s3.shop.com',
      region: 'eu-central-1',
      bucket: 'photos',
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
      pathStyle: true,
      ...settings,
    }
  }

  protected keyOf(pathname: string): string {
    const path = decodeURIComponent(pathname).slice(1)
    return this.settings.pathStyle ? path.replace(/^[^/]*\/?/, '') : path
  }

  protected async refuse(request: Request): Promise<Response | undefined> {
    if (!(await this.isSigned(request))) return this.error(403, 'SignatureDoesNotMatch')
    const { host, pathname } = new URL(request.url)
    const bucket = this.settings.pathStyle ? pathname.split('/')[1] : host.split('.')[0]
    return bucket === this.settings.bucket ? undefined : this.error(404, 'NoSuchBucket')
  }

  private async isSigned({ method, url, headers }: Request): Promise<boolean> {
    const { accessKeyId, secretAccessKey, region } = this.settings
    const parts = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
    const [, credential = '', names = '', signature = ''] = parts.exec(headers.get('authorization') ?? '') ?? []
    const time = headers.get('x-amz-date') ?? ''
    const iso = time.replace(/^(....)(..)(..T..)(..)(..)Z$/, '$1-$2-$3:$4:$5Z')
    const day = time.slice(0, 8)
    if (credential !== `${accessKeyId}/${day}/${region}/s3/aws4_request`) return false
    if (!(Math.abs(Date.parse(iso) - Date.now()) < MAX_SKEW_MS)) return false
    const signed = names.split(';')
    const mustBeSigned = ['host', ...[...headers.keys()].filter((name) => name.startsWith('x-amz-'))]
    if (!mustBeSigned.every((name) => signed.includes(name))) return false
    const canonical = [
      method,
      canonicalPath(new URL(url).pathname),
      canonicalQuery(new URL(url).search),
      ...signed.map((name) => `${name}:${(name === 'host' ? new URL(url).host : headers.get(name))?.trim()}`),
      '',
      names,
      headers.get('x-amz-content-sha256') ?? '',
    ].join('\n')
    let key = utf8(`AWS4${secretAccessKey}`)
    for (const step of [day, region, 's3', 'aws4_request']) key = await hmac(key, step)
    const toSign = ['AWS4-HMAC-SHA256', time, `${day}/${region}/s3/aws4_request`, await hexDigest(canonical)].join('\n')
    return hex(await hmac(key, toSign)) === signature
  }

  protected list(query: URLSearchParams): Response {
    const limit = Number(query.get('max-keys') ?? 1000)
    const { keys, isTruncated } = this.page(
      query.get('prefix') ?? '',
      decodeURIComponent(atob(query.get('continuation-token') ?? '')),
      limit,
    )
    const isEncoded = query.get('encoding-type') === 'url'
    const contents = keys.map((key) => {
      const { etag, bytes, modified } = this.objects.get(key)!
      const name = isEncoded ? encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/') : escapeXml(key)
      return `<Contents><Key>${name}</Key><LastModified>${modified.toISOString()}</LastModified><ETag>&quot;${etag}&quot;</ETag><Size>${bytes.length}</Size><Owner><ID>1</ID></Owner><StorageClass>STANDARD</StorageClass></Contents>`
    })
    const next = isTruncated ? `<NextContinuationToken>${btoa(encodeURIComponent(keys.at(-1)!))}</NextContinuationToken>` : ''
    return xml(
      200,
      `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${this.settings.bucket}</Name>${isEncoded ? '<EncodingType>url</EncodingType>' : ''}<KeyCount>${keys.length}</KeyCount><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
    )
  }

  protected error(status: number, code: string): Response {
    return xml(status, `<Error><Code>${code}</Code><Message>Refused &amp; explained.</Message><RequestId>1</RequestId></Error>`)
  }
}

const xml = (status: number, text: string) =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`, { status, headers: { 'content-type': 'application/xml' } })

const encode = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** Each byte is encoded once, and slashes stay ("Create a canonical request", S3). */
const canonicalPath = (pathname: string) => decodeURIComponent(pathname).split('/').map(encode).join('/')

const canonicalQuery = (search: string) =>
  search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => pair.split('=').map((part) => encode(decodeURIComponent(part))))
    .map(([name, value = '']) => `${name}=${value}`)
    .sort()
    .join('&')
