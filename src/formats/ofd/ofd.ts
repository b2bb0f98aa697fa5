import type { Codec } from '../../codec/codec.ts'
import { pictureRoom, type Survey } from '../../containers/pictures/room.ts'
import type { ZipArchive } from '../../containers/zip/read.ts'
import { OFD } from './format.ts'
import { shownSizes } from './shown.ts'

/** Signatures (GB/T 33190, 18) hold digests of files; GM/T 0099 adds integrity lists and encryption. */
const SIGNATURE = /(^|\/)(signs?|signatures?)\/|(^|\/)signatures?\.xml$|signedvalue\.dat$|\.esl$/i
const PROTECTION = /(^|\/)(ofdentries|encryptions?|decrypt[^/]*|encrypt[^/]*)(\.xml|\.dat|\/)/i

async function survey(archive: ZipArchive): Promise<Survey> {
  const has = (pattern: RegExp) => archive.entries.some((entry) => !entry.isDirectory && pattern.test(entry.name))
  if (has(SIGNATURE)) return { sealed: 'signatures kept, every file byte-equal' }
  if (has(PROTECTION)) return { sealed: 'integrity or encryption lists kept, every file byte-equal' }
  return { shown: await shownSizes(archive) }
}

/** OFD (GB/T 33190-2016): texts byte for byte, pictures recompressed and downsampled to what pages show. */
export const ofd: Codec = pictureRoom(OFD, { survey })
