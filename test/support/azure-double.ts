/** A container of Azure Blob Storage, for tests. It checks the signature SharedKey, or the query of a shared access signature. */
import type { AzureSettings } from '../../src/service/buckets/settings.ts'
import { BucketDouble, escapeXml, hmac } from './bucket-double.ts'

export const AZURE_KEY = btoa('the key of an account in Azure Storage, 64 bytes long, as it is.')
const SAS = 'sv=2021-12-02&sr=c&sp=rwdl&sig=abc%2Bdef%3D'

export class AzureDouble extends BucketDouble {
  readonly settings: AzureSettings

  constructor(settings: Partial<AzureSettings> = {}) {
    super()
    this.settings = {
      type: 'azure',
      endpoint: 'https://shop.blob.core.windows.net',
      container: 'photos',
      accountName: 'shop',
      credential: { accountKey: AZURE_KEY },
      ...settings,
    }
  }

  /** Settings of the same container with a shared access signature. */
  static withSas(settings: Partial<AzureSettings> = {}): AzureDouble {
    return new AzureDouble({ ...settings, credential: { sasToken: SAS } })
  }

  protected keyOf(pathname: string): string {
    return decodeURIComponent(pathname.slice(new URL(this.settings.endpoint).pathname.length)).replace(/^\/?[^/]*\/?/, '')
  }

  protected async refuse(request: Request, bytes: number): Promise<Response | undefined> {
    if (!(await this.isSigned(request, bytes))) return this.error(403, '', 'AuthenticationFailed')
    const path = new URL(request.url).pathname.slice(new URL(this.settings.endpoint).pathname.length).replace(/^\//, '')
    return path.split('/')[0] === this.settings.container ? undefined : this.error(404, '', 'ContainerNotFound')
  }

  private async isSigned(request: Request, bytes: number): Promise<boolean> {
    const { accountName, credential } = this.settings
    const { method, headers } = request
    const url = new URL(request.url)
    if ('sasToken' in credential) return url.searchParams.get('sig') === new URLSearchParams(credential.sasToken).get('sig')
    const value = (name: string) => headers.get(name) ?? ''
    const own = [...headers].filter(([name]) => name.startsWith('x-ms-')).map(([name, text]) => `${name}:${text}\n`)
    const query = [...url.searchParams].map(([name, text]) => `\n${name}:${text}`)
    const toSign = `${method}\n\n\n${bytes === 0 ? '' : bytes}\n\n${value('content-type')}\n\n\n${value('if-match')}\n\n\n${value('range')}\n${own
      .sort()
      .join('')}/${accountName}${url.pathname}${query.sort().join('')}`
    const key = Uint8Array.from(atob(credential.accountKey), (character) => character.charCodeAt(0))
    const signature = btoa(String.fromCharCode(...(await hmac(key, toSign))))
    return value('authorization') === `SharedKey ${accountName}:${signature}`
  }

  protected override async answer(request: Request, key: string, sent: Uint8Array<ArrayBuffer>): Promise<Response> {
    const isPut = request.method === 'PUT'
    if (isPut && request.headers.get('x-ms-blob-type') !== 'BlockBlob') return this.error(400, '', 'MissingRequiredHeader')
    const { status, headers, body } = await super.answer(request, key, sent)
    const contentDisposition = headers.get('x-ms-blob-content-disposition')
    if (contentDisposition !== null) headers.set('content-disposition', contentDisposition)
    return new Response(body, {
      status: isPut && status === 200 ? 201 : request.method === 'DELETE' && status === 204 ? 202 : status,
      headers,
    })
  }

  protected list(query: URLSearchParams): Response {
    if (query.get('restype') !== 'container' || query.get('comp') !== 'list') return this.error(400, '', 'InvalidQueryParameterValue')
    const after = decodeURIComponent(query.get('marker') ?? '')
    const { keys, isTruncated } = this.page(query.get('prefix') ?? '', after, Number(query.get('maxresults')))
    const blobs = keys.map((key) => {
      const { etag, bytes, modified } = this.objects.get(key)!
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot represent them
      const isEncoded = /[\u0000-\u001f\ufffe\uffff]/.test(key)
      const name = isEncoded ? `<Name Encoded="true">${encodeURIComponent(key)}</Name>` : `<Name>${escapeXml(key)}</Name>`
      return `<Blob>${name}<Properties><Last-Modified>${modified.toUTCString()}</Last-Modified><Etag>${etag}</Etag><Content-Length>${bytes.length}</Content-Length><BlobType>BlockBlob</BlobType></Properties><OrMetadata/></Blob>`
    })
    const marker = isTruncated ? `<NextMarker>${encodeURIComponent(keys.at(-1)!)}</NextMarker>` : '<NextMarker />'
    return new Response(
      `\ufeff<?xml version="1.0" encoding="utf-8"?><EnumerationResults ContainerName="photos"><Blobs>${blobs.join('')}</Blobs>${marker}</EnumerationResults>`,
    )
  }

  protected error(status: number, _: string, code: string): Response {
    const headers = { 'x-ms-error-code': code }
    return new Response(`\ufeff<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>Refused.</Message></Error>`, {
      status,
      headers,
    })
  }
}
