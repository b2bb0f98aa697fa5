import type { TiffFile } from '../../containers/tiff/directory.ts'

/** GDAL's structural metadata in a cloud optimized GeoTIFF (COG): a text between the header and the first directory. */
export interface CogMetadata {
  readonly bytes: Uint8Array
  /** True if the length of each tile is stored before it, as 4 bytes, little-endian. */
  readonly hasLengthBefore: boolean
  /** True if the last four bytes of each tile are stored again after it. */
  readonly hasRepeatedTail: boolean
}

const SIGNATURE = 'GDAL_STRUCTURAL_METADATA_SIZE='
/** Bytes of the signature, six digits, " bytes" and a line feed (GDAL, "Cloud Optimized GeoTIFF", "Header ghost area"). */
const HEADER_BYTES = 43

/** Reads the structural metadata. `undefined`: the file has none, or an editor marked it as invalid. */
export async function cogMetadataOf(file: TiffFile): Promise<CogMetadata | undefined> {
  const head = new TextDecoder('latin1').decode(await file.source.read(file.headerBytes, HEADER_BYTES))
  const size = head.startsWith(SIGNATURE) ? /^\d{6}/.exec(head.slice(SIGNATURE.length)) : null
  if (!size) return undefined
  const bytes = (await file.source.read(file.headerBytes, HEADER_BYTES + Number(size[0]))).slice()
  const text = new TextDecoder('latin1').decode(bytes)
  if (!text.includes('KNOWN_INCOMPATIBLE_EDITION=NO')) return undefined
  return {
    bytes,
    hasLengthBefore: text.includes('BLOCK_LEADER=SIZE_AS_UINT4'),
    hasRepeatedTail: text.includes('BLOCK_TRAILER=LAST_4_BYTES_REPEATED'),
  }
}
