/**
 * Rejects TIFF files with data that TIFF does not describe: offsets in private fields, pixels outside all directories, raw camera data.
 * Recompression would lose such data.
 */

import { findEntry, readNumbers, readValue, TAG, type TiffFile, viewOf } from '../../containers/tiff/directory.ts'
import { type PixelStorage, textOf } from '../../containers/tiff/pixels.ts'
import { type Message, message } from '../../i18n/message.ts'
import { signedByCredentials, TIFF_CREDENTIALS } from '../../model/content-credentials.ts'
import { unsupported } from '../../model/error.ts'

/** Private fields that hold file offsets, or that mark a format which does. */
const UNMOVABLE: { readonly [tag: number]: string | Message } = {
  519: message('jpeg_tables_by_offset'),
  520: message('jpeg_tables_by_offset'),
  521: message('jpeg_tables_by_offset'),
  33628: 'MetaMorph STK',
  33629: 'MetaMorph STK',
  34412: 'Zeiss LSM',
  50706: 'DNG',
  50740: message('private_camera_data'),
  65420: 'Hamamatsu NDPI',
}

/** Number after the header that marks Micro-Manager files: offsets of an index, settings, comments and a summary follow. */
const MICRO_MANAGER = 54_773_648

/** Photometric interpretations of raw sensor data (DNG 1.6, TIFF/EP). */
const RAW_PHOTOMETRIC = new Set([32803, 34892])

/** Signatures of maker notes whose offsets count from the note's own beginning, so they may move. */
const MOVABLE_NOTES = ['Nikon\0\x02', 'OLYMPUS\0', 'OM SYSTEM\0', 'FUJIFILM', 'Apple iOS\0']

export async function checkHiddenContent(file: TiffFile, pictures: readonly PixelStorage[]): Promise<void> {
  const head = (await file.source.read(8, 4)).slice()
  if (!file.big && viewOf(head).getUint32(0, file.littleEndian) === MICRO_MANAGER) throw unsupported('offsets_of_micro_manager_in_header')
  if (head[0] === 0x43 && head[1] === 0x52 && !file.big) throw unsupported('canon_raw_cr2')
  for (const directory of file.all) {
    for (const { tag } of directory.entries) {
      if (tag === TIFF_CREDENTIALS) throw signedByCredentials()
      const what = UNMOVABLE[tag]
      if (what) throw unsupported(message('tag_is', { tag, what }))
    }
    const note = findEntry(directory, TAG.makerNote)
    if (note?.at !== undefined) {
      const start = new TextDecoder('latin1').decode((await readValue(file.source, note)).subarray(0, 16))
      if (!MOVABLE_NOTES.some((known) => start.startsWith(known))) throw unsupported('maker_note_with_offsets_into_file')
    }
    const photometric = findEntry(directory, TAG.photometric)
    const [kind = 0] = photometric ? await readNumbers(file, photometric) : []
    if (RAW_PHOTOMETRIC.has(kind)) throw unsupported('raw_sensor_data')
  }
  await refuseImageJStack(file, pictures)
}

/**
 * @throws CodecError (unsupported_feature) for large ImageJ stacks: they have one directory, and further planes follow the first without a
 * directory
 */
async function refuseImageJStack(file: TiffFile, pictures: readonly PixelStorage[]): Promise<void> {
  const [first] = file.chain
  const description = first ? await textOf(file, first, TAG.imageDescription) : ''
  const images = /^ImageJ=[\s\S]*?\nimages=(\d+)/.exec(description)
  if (images && Number(images[1]) > pictures.length) throw unsupported('imagej_stack_with_planes_outside_directories')
}
