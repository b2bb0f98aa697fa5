/** Pictures of a presentation or workbook as files, for comparing a result with its original. */
import { openCompoundFile } from '../../containers/cfb/read.ts'
import { toLosslessPng } from '../../embedded/lossless-replacement.ts'
import type { Options, Source } from '../../model/codec.ts'
import { bmpOf, readBlip } from './blip.ts'
import { blipsOf } from './drawing-group.ts'
import { MAX_RECORD_BYTES, openPresentation } from './ppt.ts'
import { openWorkbook } from './xls.ts'

export interface EmbeddedPicture {
  readonly file: Uint8Array
  readonly extension: 'jpg' | 'png'
}

/** Yields the records of pictures. Empty: a record that is too large to change. */
async function* records(source: Source, id: 'ppt' | 'xls', options: Options): AsyncGenerator<Uint8Array> {
  const file = await openCompoundFile(source)
  if (id === 'xls') {
    const workbook = await openWorkbook(file, options)
    if (workbook) yield* blipsOf(workbook.group)
    return
  }
  const presentation = await openPresentation(file, options)
  for (const { at, size } of presentation?.places ?? [])
    yield size > MAX_RECORD_BYTES ? new Uint8Array(0) : await presentation!.pictures.read(at, size)
}

/** Yields one file for each record of a picture. Metafiles and records that are not understood are empty. */
export async function* picturesOf(source: Source, id: 'ppt' | 'xls', options: Options): AsyncGenerator<EmbeddedPicture> {
  for await (const record of records(source, id, options)) {
    const blip = readBlip(record)
    const data = blip ? record.subarray(blip.dataAt) : record
    if (blip?.kind === 'jpg' || blip?.kind === 'png') yield { file: data, extension: blip.kind }
    else if (blip?.kind === 'dib') {
      const bmp = bmpOf(data)
      yield { file: (bmp && (await toLosslessPng(bmp))) ?? new Uint8Array(0), extension: 'png' }
    } else yield { file: new Uint8Array(0), extension: 'png' }
  }
}
