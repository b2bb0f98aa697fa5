import type { KnownFormat } from '../catalog/outputs.ts'
import { isCompoundFile } from '../containers/cfb/read.ts'
import { findObstacleInBytes } from '../formats/pdf/encryptable.ts'
import type { Source } from '../model/codec.ts'

/**
 * Returns why the file cannot be encrypted: a signature would break, or the PDF or Office document is already encrypted.
 * `undefined`: the bytes show no obstacle.
 */
export async function passwordObstacle(upload: Source, format: KnownFormat): Promise<'signed' | 'encrypted' | undefined> {
  if (format.password === 'pdf') return findObstacleInBytes(upload)
  // [MS-OFFCRYPTO] 2.3.4: an encrypted document is a compound file instead of a ZIP archive.
  return format.password === 'ooxml' && isCompoundFile(await upload.read(0, 8)) ? 'encrypted' : undefined
}
