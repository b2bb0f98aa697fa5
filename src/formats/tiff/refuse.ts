/**
 * Files that are TIFF on the outside and keep more than TIFF says: offsets in private fields, pixels that no directory
 * names, raw camera data. Moving their bytes would lose something, so they are left alone.
 */
import { signedByCredentials, TIFF_CREDENTIALS } from '../../codec/content-credentials.ts'
import { unsupported } from '../../codec/error.ts'
import { find, readNumbers, readValue, TAG, type TiffFile } from '../../containers/tiff/directory.ts'
import { type Pixels, textOf } from '../../containers/tiff/pixels.ts'

/** Private fields that hold offsets into the file, or stand for formats that do. */
const UNMOVABLE: { readonly [tag: number]: string } = {
  519: 'JPEG tables by offset',
  520: 'JPEG tables by offset',
  521: 'JPEG tables by offset',
  33628: 'MetaMorph STK',
  33629: 'MetaMorph STK',
  34412: 'Zeiss LSM',
  50706: 'DNG',
  50740: 'private camera data',
  65420: 'Hamamatsu NDPI',
}

/** Photometric interpretations of raw sensor data (DNG 1.6, TIFF/EP). */
const RAW_PHOTOMETRIC = new Set([32803, 34892])

/** Maker notes whose offsets count from their own beginning. */
const MOVABLE_NOTES = ['Nikon\0\x02', 'OLYMPUS\0', 'OM SYSTEM\0', 'FUJIFILM', 'Apple iOS\0']

/** Unreferenced bytes at the end up to this length are padding or leftovers of an editor. */
const TRAILER_BYTES = 1024

export async function refuseHiddenContent(file: TiffFile, pictures: readonly Pixels[]): Promise<void> {
  const head = await file.source.read(8, 4)
  if (head[0] === 0x43 && head[1] === 0x52 && !file.big) throw unsupported('Canon raw (CR2)')
  for (const directory of file.all) {
    for (const { tag } of directory.entries) {
      if (tag === TIFF_CREDENTIALS) throw signedByCredentials()
      const what = UNMOVABLE[tag]
      if (what) throw unsupported(`tag ${tag}: ${what}`)
    }
    const note = find(directory, TAG.makerNote)
    if (note?.at !== undefined) {
      const start = new TextDecoder('latin1').decode((await readValue(file.source, note)).subarray(0, 16))
      if (!MOVABLE_NOTES.some((known) => start.startsWith(known))) throw unsupported('a maker note with offsets into the file')
    }
    const photometric = find(directory, TAG.photometric)
    const [kind = 0] = photometric ? await readNumbers(file, photometric) : []
    if (RAW_PHOTOMETRIC.has(kind)) throw unsupported('raw sensor data')
  }
  await refuseImageJStack(file, pictures)
  await refuseTrailer(file, pictures)
}

/** ImageJ stores a large stack as one directory; the other planes follow the first without any. */
async function refuseImageJStack(file: TiffFile, pictures: readonly Pixels[]): Promise<void> {
  const [first] = file.chain
  const description = first ? await textOf(file, first, TAG.imageDescription) : ''
  const images = /^ImageJ=[\s\S]*?\nimages=(\d+)/.exec(description)
  if (images && Number(images[1]) > pictures.length) throw unsupported('an ImageJ stack with planes outside its directories')
}

/** Something that no directory names, behind everything that is named. */
async function refuseTrailer(file: TiffFile, pictures: readonly Pixels[]): Promise<void> {
  let end = 0
  for (const directory of file.all) {
    end = Math.max(end, directory.offset + directory.entries.length * (file.big ? 20 : 12) + 16)
    for (const entry of directory.entries) if (entry.at !== undefined) end = Math.max(end, entry.at + entry.byteLength)
    for (const { offset, length } of await blobsOf(file, directory)) end = Math.max(end, offset + length)
  }
  for (const { offsets, lengths } of pictures) for (let i = 0; i < offsets.length; i++) end = Math.max(end, offsets[i]! + lengths[i]!)
  if (file.source.size - end <= TRAILER_BYTES) return
  const trailer = await file.source.read(end, 65_536)
  if (trailer.subarray(16).some((byte) => byte !== 0)) throw unsupported(`${file.source.size - end} bytes behind the last directory`)
}

/** JPEG streams by offset and length (tags 513 and 514): thumbnails, and JPEG as TIFF 6.0 had it. */
export async function blobsOf(file: TiffFile, directory: TiffFile['chain'][number]): Promise<{ offset: number; length: number }[]> {
  const offsets = find(directory, TAG.jpegInterchangeFormat)
  const lengths = find(directory, TAG.jpegInterchangeFormatLength)
  if (!offsets) return []
  if (!lengths) throw unsupported('a JPEG stream without its length')
  const at = await readNumbers(file, offsets)
  const long = await readNumbers(file, lengths)
  return [...at].map((offset, i) => ({ offset, length: Math.min(long[i] ?? 0, file.source.size - offset) }))
}
