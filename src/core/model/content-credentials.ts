/**
 * Content credentials (C2PA 2.1) sign the bytes of the file that contains them. Rewriting the file breaks the signature, so such files
 * stay unchanged.
 */
import { ByteReader } from '../bytes/reader.ts'
import { CodecError } from './error.ts'

/** Returns the error for a file that contains content credentials. */
export const signedByCredentials = (): CodecError => new CodecError('signed', 'content_credentials_c2pa')

/** Type of the JUMBF superbox that holds a manifest store: `c2pa`, completed to 16 bytes (ISO/IEC 19566-5; C2PA 2.1, 11.1.4.1). */
const STORE_TYPE = [0x63, 0x32, 0x70, 0x61, 0x00, 0x11, 0x00, 0x10, 0x80, 0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71]
const [JUMB, JUMD] = [0x6a756d62, 0x6a756d64]

/** True if `bytes` begin with a JUMBF superbox (ISO/IEC 19566-5, A.2) that is a C2PA manifest store. */
export function isManifestStore(bytes: Uint8Array): boolean {
  if (bytes.length < 8) return false
  const reader = new ByteReader(bytes, false)
  const body = reader.u32(0) === 1 ? 16 : 8
  if (reader.u32(4) !== JUMB || bytes.length < body + 8 + STORE_TYPE.length) return false
  return reader.u32(body + 4) === JUMD && STORE_TYPE.every((byte, i) => bytes[body + 8 + i] === byte)
}

/** Extended type of the ISO base media box that holds content credentials (C2PA 2.1, A.5.1). */
const FILM_BOX_TYPE = [0xd8, 0xfe, 0xc3, 0xd6, 0x1b, 0x0e, 0x48, 0x3c, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7e, 0xc4, 0x81]

/** True if the `uuid` box (ISO/IEC 14496-12, 4.2) at the start of `bytes` holds content credentials. */
export function isCredentialsBox(bytes: Uint8Array): boolean {
  if (bytes.length < 8) return false
  const body = new ByteReader(bytes, false).u32(0) === 1 ? 16 : 8
  return bytes.length >= body + FILM_BOX_TYPE.length && FILM_BOX_TYPE.every((byte, i) => bytes[body + i] === byte)
}
/** Bytes of a box that `isCredentialsBox` needs. */
export const CREDENTIALS_HEAD_BYTES = 32

/** RIFF chunk that holds content credentials (C2PA 2.1, A.3.4). */
export const RIFF_CREDENTIALS = 'C2PA'

/** TIFF tag that holds content credentials (C2PA 2.1, A.3.5). */
export const TIFF_CREDENTIALS = 52545
