/**
 * Signature of Azure Storage, scheme SharedKey ("Authorize with Shared Key", Blob service, version 2015-02-21 and later). The SDK of Azure
 * has it too, but with 1 MB of code that a Worker would load.
 */

export interface AzureRequest {
  readonly method: string
  readonly url: string
  /** Headers with lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Bytes of the body. */
  readonly bytes: number
}

/** Headers of the string to sign after `Content-Length`, in its order. `Date` is empty, because `x-ms-date` is sent. */
const SIGNED_HEADERS = [
  'content-md5',
  'content-type',
  'date',
  'if-modified-since',
  'if-match',
  'if-none-match',
  'if-unmodified-since',
  'range',
]

/** Returns the signature in base64. @throws DOMException if the key is not base64 */
export async function azureSignature(request: AzureRequest, accountName: string, accountKey: string): Promise<string> {
  const keyBytes = Uint8Array.from(atob(accountKey), (character) => character.charCodeAt(0))
  const key = await crypto.subtle.importKey('raw', keyBytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(stringToSign(request, accountName)))
  return btoa(Array.from(new Uint8Array(signature), (byte) => String.fromCharCode(byte)).join(''))
}

function stringToSign({ method, url, headers, bytes }: AzureRequest, accountName: string): string {
  const own = Object.keys(headers).filter((name) => name.startsWith('x-ms-'))
  return [
    method,
    headers['content-encoding'] ?? '',
    headers['content-language'] ?? '',
    bytes === 0 ? '' : String(bytes),
    ...SIGNED_HEADERS.map((name) => headers[name] ?? ''),
    ...own.sort().map((name) => `${name}:${headers[name]}`),
    canonicalResource(new URL(url), accountName),
  ].join('\n')
}

/** Account, path as it is sent, and the query in order of its names, decoded. */
function canonicalResource({ pathname, searchParams }: URL, accountName: string): string {
  const query = [...searchParams].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => `${name.toLowerCase()}:${value}`)
  return [`/${accountName}${pathname}`, ...query].join('\n')
}
