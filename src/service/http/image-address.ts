/**
 * Addresses of pictures: `/img/{signature}/{options}/{image_key}/{origin}/{path}`. The signature covers everything behind it, as decoded text,
 * so that clients may encode the path in their own way.
 */
import { Buffer } from 'node:buffer'
import { hmacSha256 } from '../store/hmac.ts'
import { imageSecretOf, ORIGIN_NAME, parseImageKey } from '../store/image-origins.ts'
import { ApiError } from '../tasks/api-error.ts'
import { unknownPicture } from '../tasks/picture-origin.ts'

export interface ImageAddress {
  readonly accountId: string
  /** Number of the secret that signed the address. */
  readonly generation: number
  /** Options as the client wrote them, separated by commas. */
  readonly options: string
  /** Name of the origin. */
  readonly origin: string
  /** Path below the origin, decoded. */
  readonly path: string
}

/** Bytes of a signature that is cut off, and of a whole one. */
const [LEAST_SIGNATURE_BYTES, SIGNATURE_BYTES] = [16, 32]
const SIGNATURE = /^[\w-]{22,43}$/
/** Longest path in bytes, as buckets allow. */
const MAX_PATH_BYTES = 1024
const PREFIX = '/img/'

/**
 * Reads the address and checks its signature, without any look-up.
 * @param pathname path of the request, still encoded
 * @param secret the Worker secret `SECRET_KEY`
 * @throws ApiError `invalid_signature`, or `unknown_picture` for a signed path that no origin can have
 */
export async function parseImageAddress(pathname: string, secret: string): Promise<ImageAddress> {
  const [signature = '', ...signed] = pathname.slice(PREFIX.length).split('/').map(decoded)
  // Some clients encode the slashes of the source.
  const [options = '', key = '', origin = '', ...rest] = signed.join('/').split('/')
  const path = rest.join('/')
  const imageKey = parseImageKey(key)
  if (!imageKey || !(await isSigned(signature, signed.join('/'), await imageSecretOf(key, secret)))) throw invalidSignature()
  if (!ORIGIN_NAME.test(origin) || !isPath(path)) throw unknownPicture()
  return { ...imageKey, options, origin, path }
}

/** Compares the signature, or its first bytes, in constant time. */
async function isSigned(signature: string, text: string, secret: string): Promise<boolean> {
  if (!SIGNATURE.test(signature)) return false
  const given = Buffer.from(signature, 'base64url')
  const expected = Buffer.from(await hmacSha256(secret, text)).subarray(0, given.length)
  return given.length >= LEAST_SIGNATURE_BYTES && given.length <= SIGNATURE_BYTES && crypto.subtle.timingSafeEqual(given, expected)
}

/** Segments that name another folder would leave the origin. */
function isPath(path: string): boolean {
  const isTooLong = new TextEncoder().encode(path).length > MAX_PATH_BYTES
  return path !== '' && !isTooLong && path.isWellFormed() && !path.split('/').some((segment) => segment === '.' || segment === '..')
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw invalidSignature()
  }
}

const invalidSignature = () => new ApiError('invalid_signature', 'image_signature_wrong')
