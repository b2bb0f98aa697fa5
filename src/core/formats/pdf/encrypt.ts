/** Encrypts a PDF with a password. The objects of the document do not change. */

import type { Sink, Source } from '../../model/codec.ts'
import { isCodecError } from '../../model/error.ts'
import { isPdfA1 } from './document.ts'
import { Duplicates } from './duplicates.ts'
import type { EncryptionObstacle } from './encryptable.ts'
import { Dict, PdfSyntax } from './objects.ts'
import { findReachableObjects, hasSignatureBytes } from './reachable-objects.ts'
import { Reader } from './reader.ts'
import { Rewriter } from './rewrite.ts'
import { createEncryption } from './security.ts'
import { verifyGraphs } from './verify.ts'
import { Writer } from './writer.ts'

const NEVER = new AbortController().signal
const KEEP_ALL = () => true

/**
 * Writes `source` to `sink`, encrypted with AES-256 (ISO 32000-2, revision 6). The password is both the user password and the owner
 * password. Data is streamed: memory use is a few MB for any file size.
 * @throws CodecError (malformed) if the PDF cannot be parsed safely.
 */
export async function encryptPdf(source: Source, sink: Sink, password: string): Promise<void> {
  const reader = await Reader.open(source)
  if (reader.trailer.has('Encrypt')) throw new PdfSyntax('encrypted_already')
  if (reader.repaired) throw new PdfSyntax('damaged')
  const root = await reader.dict(reader.trailer.get('Root'))
  if (!root) throw new PdfSyntax('no_document_catalog')
  const lock = createEncryption(password)
  const writer = new Writer(sink, !(await isPdfA1(reader, root)), lock)
  const used = await findReachableObjects(reader, KEEP_ALL, NEVER)
  await new Rewriter(reader, writer, {
    reachable: used,
    duplicates: new Duplicates(),
    keepEntry: KEEP_ALL,
    transforms: [],
    verbatim: 'all',
    signal: NEVER,
    progress: () => undefined,
  }).run()
}

/**
 * Decrypts the output of `encryptPdf` and compares every object with `source`.
 * @throws Error if an object differs.
 */
export async function verifyEncryptedPdf(source: Source, encrypted: Source, password: string): Promise<void> {
  const [before, after] = [await Reader.open(source), await Reader.open(encrypted, password)]
  const changed = async () => 'changed'
  const verdict = await verifyGraphs(before, after, { image: changed, font: changed, toUnicode: changed, glyphMap: changed }, NEVER)
  if (!verdict.equal) throw new Error(`the encrypted PDF differs: ${verdict.difference}`)
}

/** Reason why this PDF cannot be encrypted, after reading every object. `undefined`: it can. */
export async function findObstacleInObjects(source: Source): Promise<EncryptionObstacle | undefined> {
  try {
    const reader = await Reader.open(source)
    if (reader.trailer.has('Encrypt')) return 'encrypted'
    const root = await reader.resolve(reader.trailer.get('Root'))
    if (root instanceof Dict && root.has('Perms')) return 'signed'
    if (await hasSignatureBytes(reader, NEVER)) return 'signed'
    if ((await findReachableObjects(reader, KEEP_ALL, NEVER)).signed) return 'signed'
    return reader.repaired || !(root instanceof Dict) ? 'damaged' : undefined
  } catch (error) {
    if (isCodecError(error, 'malformed')) return 'damaged'
    throw error
  }
}
