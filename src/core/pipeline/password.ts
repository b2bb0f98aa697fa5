import type { KnownFormat } from '../catalog/outputs.ts'
import { isCompoundFile } from '../containers/cfb/read.ts'
import type { Source } from '../model/codec.ts'

/** Where a trailer may stand: near the end, or near the front of a linearised file. */
const TAIL_BYTES = 64 * 1024
const HEAD_BYTES = 8 * 1024
/** The trailer's key and its value, a reference or a dictionary (ISO 32000-2, 7.5.5). */
const ENCRYPTED = /\/Encrypt\s*(?:\d+\s+\d+\s+R|<<)/

/**
 * Whether a password can be put on this upload: not on a PDF or an Office document that is encrypted already. Its owner's
 * password stands, and no program opens a document that is encrypted twice.
 */
export async function passwordApplies(upload: Pick<Source, 'read' | 'size'>, format: KnownFormat): Promise<boolean> {
  if (format.password === 'ooxml') return !isCompoundFile(await upload.read(0, 8))
  if (format.password !== 'pdf') return true
  const tailLength = Math.min(upload.size, TAIL_BYTES)
  const parts = [await upload.read(0, Math.min(upload.size, HEAD_BYTES)), await upload.read(upload.size - tailLength, tailLength)]
  return !parts.some((part) => ENCRYPTED.test(new TextDecoder('latin1').decode(part)))
}
