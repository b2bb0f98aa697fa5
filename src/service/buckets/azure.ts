/** Protocol of Azure Blob Storage. */
import { entryOf } from './answers.ts'
import { azureSignature } from './azure-signature.ts'
import type { BucketRequest, SignedRequest } from './client.ts'
import { queryOf } from './encode.ts'
import type { StoreProtocol } from './http-store.ts'
import { BucketError, type BucketTrouble, type ListOptions, MAX_PAGE_OBJECTS, type ObjectHeaders, type ObjectPage } from './object-store.ts'
import { type AzureSettings, bucketAddress } from './settings.ts'
import { readXml } from './xml.ts'

/** Version of the protocol, which has blobs of up to 5,000 MiB in one request and encoded names in lists. */
const VERSION = '2021-12-02'
const ROOT = 'EnumerationResults'
/** Answer of `List Blobs`. */
const LIST = {
  record: `${ROOT}/Blobs/Blob`,
  fields: ['Name', 'Properties/Content-Length', 'Properties/Etag', 'Properties/Last-Modified'],
  facts: [`${ROOT}/NextMarker`],
} as const

export class AzureProtocol implements StoreProtocol {
  readonly address: string
  /** Error codes whose status does not tell what happened (Blob Storage, "Error codes"). */
  readonly troubles: Readonly<Record<string, BucketTrouble>> = {
    ContainerNotFound: 'missing_bucket',
    ContainerBeingDeleted: 'missing_bucket',
    BlobNotFound: 'missing_object',
    InvalidAuthenticationInfo: 'unauthorised',
    ServerBusy: 'busy',
  }
  readonly codeHeader = 'x-ms-error-code'
  readonly #settings: AzureSettings

  constructor(settings: AzureSettings) {
    this.#settings = settings
    this.address = bucketAddress(settings)
  }

  async sign({ method, url, headers = {} }: BucketRequest, bytes: number): Promise<SignedRequest> {
    const { accountName, credential } = this.#settings
    const sent = { ...headers, 'x-ms-version': VERSION, 'x-ms-date': new Date().toUTCString() }
    if ('sasToken' in credential) {
      const token = credential.sasToken.replace(/^\?/, '')
      return { url: `${url}${url.includes('?') ? '&' : '?'}${token}`, headers: new Headers(sent) }
    }
    const signature = await azureSignature({ method, url, headers: sent, bytes }, accountName, credential.accountKey)
    return { url, headers: new Headers({ ...sent, authorization: `SharedKey ${accountName}:${signature}` }) }
  }

  listUrl(prefix: string, { cursor, limit = MAX_PAGE_OBJECTS }: ListOptions): string {
    return `${this.address}?${queryOf({ restype: 'container', comp: 'list', prefix, maxresults: String(limit), marker: cursor })}`
  }

  pageOf(text: string): ObjectPage {
    const { facts, records } = readXml(text, LIST)
    const next = facts.get(`${ROOT}/NextMarker`)
    if (next === undefined) throw new BucketError('malformed')
    const objects = records.map((record) => {
      const [name, size, etag, modified] = LIST.fields.map((field) => record.get(field))
      return entryOf(name, size, etag, modified)
    })
    return { objects, ...(next !== '' ? { next } : {}) }
  }

  writeHeaders({ contentType, contentDisposition }: ObjectHeaders): Readonly<Record<string, string>> {
    return {
      'x-ms-blob-type': 'BlockBlob',
      'content-type': contentType,
      ...(contentDisposition === undefined ? {} : { 'x-ms-blob-content-disposition': contentDisposition }),
    }
  }
}
