/** Reasons why a binary Office document stays as it is. */
import { ByteReader } from '../../bytes/reader.ts'
import type { CompoundFile } from '../../containers/cfb/read.ts'
import { type MessageOrCode, message, toMessage } from '../../i18n/message.ts'
import type { Outcome, Reason } from '../../model/codec.ts'

const unchanged = (reason: Reason, detail: MessageOrCode): Outcome => ({ kind: 'unchanged', reason, detail: toMessage(detail) })

/** Storages and streams of digital signatures ([MS-OFFCRYPTO] 2.5). */
const SIGNATURE = /^(?:_xmlsignatures\/|_signatures$)/
/** Streams of encrypted documents ([MS-OFFCRYPTO] 2.3). */
const ENCRYPTED: ReadonlySet<string> = new Set(['EncryptedPackage', 'EncryptedSummary', 'encryption'])
/** `headerToken` of an encrypted presentation ([MS-PPT] 2.3.2). */
const ENCRYPTED_SLIDES = 0xf3d1c4df
/** Bit of an encrypted or obfuscated document ([MS-DOC] 2.5.2, `fEncrypted`), in the byte at 11. */
const ENCRYPTED_TEXT = 1
/** Record of an encrypted workbook ([MS-XLS] 2.4.117), which follows the first one or a write protection. */
const FILE_PASS = 0x2f
const WRITE_PROTECT = 0x86

/** Returns the outcome of a signed or encrypted document. `undefined`: it may change. */
export async function findObstacle(file: CompoundFile): Promise<Outcome | undefined> {
  const signature = file.paths.find((path) => SIGNATURE.test(path))
  if (signature !== undefined) return unchanged('signed', message('signed_parts_kept'))
  const isEncrypted =
    file.paths.some((path) => ENCRYPTED.has(path)) ||
    (await isEncryptedPpt(file)) ||
    (await isEncryptedDoc(file)) ||
    (await isEncryptedXls(file))
  return isEncrypted ? unchanged('encrypted', 'document_under_password') : undefined
}

async function head(file: CompoundFile, path: string, length: number): Promise<ByteReader | undefined> {
  const bytes = await file.open(path)?.read(0, length)
  return bytes?.length === length ? new ByteReader(bytes, true) : undefined
}

const isEncryptedPpt = async (file: CompoundFile) => (await head(file, 'Current User', 16))?.u32(12) === ENCRYPTED_SLIDES

const isEncryptedDoc = async (file: CompoundFile) => (((await head(file, 'WordDocument', 12))?.u8(11) ?? 0) & ENCRYPTED_TEXT) !== 0

async function isEncryptedXls(file: CompoundFile): Promise<boolean> {
  for (const path of ['Workbook', 'Book']) {
    const stream = file.open(path)
    if (!stream) continue
    const reader = new ByteReader(await stream.read(0, 1024), true)
    let at = 0
    for (let record = 0; record < 4 && at + 4 <= reader.length; record++) {
      const type = reader.u16(at)
      if (type === FILE_PASS) return true
      if (record > 0 && type !== WRITE_PROTECT) break
      at += 4 + reader.u16(at + 2)
    }
  }
  return false
}
