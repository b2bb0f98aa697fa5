import type { TiffFile } from '../../containers/tiff/directory.ts'

/** The structural metadata that GDAL hides between header and first directory of a cloud optimized GeoTIFF. */
export interface Ghost {
  readonly bytes: Uint8Array
  /** Each tile is preceded by its length, 4 bytes, little-endian. */
  readonly leader: boolean
  /** Each tile is followed by its last four bytes once more. */
  readonly trailer: boolean
}

const SIGNATURE = 'GDAL_STRUCTURAL_METADATA_SIZE='
/** The signature, six digits, " bytes" and a line feed (GDAL, "Cloud Optimized GeoTIFF", "Header ghost area"). */
const HEADER_BYTES = 43

/** Undefined when there is none, or when an editor has declared it void. */
export async function ghostOf(file: TiffFile): Promise<Ghost | undefined> {
  const head = new TextDecoder('latin1').decode(await file.source.read(file.headerBytes, HEADER_BYTES))
  const size = head.startsWith(SIGNATURE) ? /^\d{6}/.exec(head.slice(SIGNATURE.length)) : null
  if (!size) return undefined
  const bytes = (await file.source.read(file.headerBytes, HEADER_BYTES + Number(size[0]))).slice()
  const text = new TextDecoder('latin1').decode(bytes)
  if (!text.includes('KNOWN_INCOMPATIBLE_EDITION=NO')) return undefined
  return { bytes, leader: text.includes('BLOCK_LEADER=SIZE_AS_UINT4'), trailer: text.includes('BLOCK_TRAILER=LAST_4_BYTES_REPEATED') }
}
