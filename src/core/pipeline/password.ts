import type { KnownFormat } from '../catalog/outputs.ts'
import { isCompoundFile } from '../containers/cfb/read.ts'
import { obstacleInBytes } from '../formats/pdf/encryptable.ts'
import type { Source } from '../model/codec.ts'

/**
 * Why a password cannot be put on this upload: a signature would break, or the PDF or Office document has a password already.
 * `undefined`: nothing that its bytes show.
 */
export async function passwordObstacle(upload: Source, format: KnownFormat): Promise<'signed' | 'encrypted' | undefined> {
  if (format.password === 'pdf') return obstacleInBytes(upload)
  // [MS-OFFCRYPTO] 2.3.4: an encrypted document is a compound file, and no ZIP archive any more.
  return format.password === 'ooxml' && isCompoundFile(await upload.read(0, 8)) ? 'encrypted' : undefined
}
