/** Signed addresses of pictures on the fly. */

/** Key and secret of `PUT /v1/image-origins/{name}`. */
export interface ImageKey {
  /** The account's `img_…`. */
  readonly key: string
  /** The account's `ims_…`. It must stay on your server. */
  readonly secret: string
}

/**
 * Returns the signed address of a small picture.
 *
 * @example
 * ```ts
 * const src = await imageUrl('https://whittle.example.com', { key, secret }, 'photos/2026/harbour.jpg', 'w_640,f_auto')
 * ```
 * @param baseUrl address of the service
 * @param source name of the origin and path below it, not encoded
 * @param options options of the picture, separated by commas
 */
export async function imageUrl(baseUrl: string, { key, secret }: ImageKey, source: string, options = 'f_auto'): Promise<string> {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const signer = await crypto.subtle.importKey('raw', bytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', signer, bytes(`${options}/${key}/${source}`)))
  const binary = Array.from(digest, (byte) => String.fromCharCode(byte)).join('')
  const signature = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace('=', '')
  return `${baseUrl.replace(/\/+$/, '')}/img/${signature}/${options}/${key}/${source.split('/').map(encodeURIComponent).join('/')}`
}
