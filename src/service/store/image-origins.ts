/** Settings for pictures on the fly: the origins of an account, and the key and secret of its addresses. */
import { Buffer } from 'node:buffer'
import { hmacSha256 } from './hmac.ts'
import { idPattern } from './ids.ts'

/** Most origins of an account. */
export const MAX_IMAGE_ORIGINS = 20
export const ORIGIN_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** Place that pictures are fetched from. */
export type ImagePlace =
  | {
      /** Address that every path is appended to. It ends with a slash. */
      readonly origin: string
    }
  | { readonly bucket: ImageBucket }

/** Bucket that pictures are fetched from. */
export interface ImageBucket {
  /** Name of a connection of the account. */
  readonly connection: string
  /** Beginning of every key. The path follows. */
  readonly prefix: string
}

export type ImageOrigin = { readonly name: string } & ImagePlace

/** What the public part of an image key says. */
export interface ImageKey {
  readonly accountId: string
  /** Number of the account's secret. Each new secret has the next one, and only the newest works. */
  readonly generation: number
}

const KEY = /^img_([0-9A-Za-z_]{20})(?:-([1-9]\d{0,5}))?$/
const ACCOUNT = idPattern('acc')

/** Name of an account in addresses of pictures: `img_…`, from its second secret on `img_…-1`. */
export const imageKeyOf = ({ accountId, generation }: ImageKey): string =>
  `img_${accountId.slice('acc_'.length)}${generation === 0 ? '' : `-${generation}`}`

/** Returns what an image key names. `undefined`: it is not well-formed. */
export function parseImageKey(text: string): ImageKey | undefined {
  const [, id = '', generation = '0'] = KEY.exec(text) ?? []
  const accountId = `acc_${id}`
  return ACCOUNT.test(accountId) ? { accountId, generation: Number(generation) } : undefined
}

/**
 * Secret that signs the addresses of an image key. It is derived, so that a signature is checked without a look-up, and nothing is stored.
 * @param secret the Worker secret `SECRET_KEY`
 */
export const imageSecretOf = async (key: string, secret: string): Promise<string> =>
  `ims_${Buffer.from(await hmacSha256(`whittle image secret\0${secret}`, key)).toString('base64url')}`
