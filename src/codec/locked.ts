import { isCompoundFile } from '../containers/cfb/read.ts'
import type { Format } from '../formats/format.ts'
import type { Source } from './codec.ts'

/**
 * Whether a password can be put on this upload: not on an Office document that is encrypted already. Its owner's
 * password stands, and no program opens a document that is encrypted twice.
 */
export async function passwordApplies(upload: Pick<Source, 'read'>, format: Format): Promise<boolean> {
  return !(format.password === 'ooxml' && isCompoundFile(await upload.read(0, 8)))
}
