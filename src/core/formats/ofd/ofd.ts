import { OFD } from '../../catalog/formats/ofd.ts'
import type { ZipArchive } from '../../containers/zip/read.ts'
import { type PackageFacts, packageCodec } from '../../embedded/package-codec.ts'
import { message } from '../../i18n/message.ts'
import type { Codec, Options } from '../../model/codec.ts'
import { duplicateFiles } from './duplicates.ts'
import { ofdReferences } from './references.ts'
import { displayedSizes } from './shown.ts'

/** File names of signatures (GB/T 33190, 18), which contain digests of other files, and of integrity lists and encryption (GM/T 0099). */
const SIGNATURE = /(^|\/)(signs?|signatures?)\/|(^|\/)signatures?\.xml$|signedvalue\.dat$|\.esl$/i
const PROTECTION = /(^|\/)(ofdentries|encryptions?|decrypt[^/]*|encrypt[^/]*)(\.xml|\.dat|\/)/i

async function survey(archive: ZipArchive, { quality }: Pick<Options, 'quality'>): Promise<PackageFacts> {
  const has = (pattern: RegExp) => archive.entries.some((entry) => !entry.isDirectory && pattern.test(entry.name))
  if (has(SIGNATURE)) return { signed: message('signatures_kept') }
  if (has(PROTECTION)) return { signed: message('integrity_lists_kept') }
  const shown = await displayedSizes(archive)
  const references = await ofdReferences(archive)
  if (quality !== 'ultra') return { shown, ...(references && { references }) }
  const duplicates = await duplicateFiles(archive)
  for (const [gone, duplicate] of duplicates.merged) {
    const [a, b] = [shown.get(gone), shown.get(duplicate)]
    if (a && b)
      shown.set(duplicate, { widthInches: Math.max(a.widthInches, b.widthInches), heightInches: Math.max(a.heightInches, b.heightInches) })
    else shown.delete(duplicate)
  }
  const mentions = [...(references?.mentions ?? [])].filter(([picture]) => !duplicates.merged.has(picture))
  return { shown, duplicates, ...(references && { references: { ...references, mentions: new Map(mentions), edits: duplicates.edits } }) }
}

/**
 * OFD (GB/T 33190-2016). Texts stay byte for byte; pictures are recompressed and downsampled to their displayed size. PNG photographs
 * become JPEG if only a resource list refers to them. Level `ultra` merges equal files.
 */
export const ofd: Codec = packageCodec(OFD, { survey })
