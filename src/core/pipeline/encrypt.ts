/**
 * Encrypts a result with the caller's password. Office documents use ECMA-376 agile encryption, PDF its own, and every other file is
 * put into a WinZip AES-256 archive. The encrypted file is decrypted again and compared before it is accepted.
 */
import { sha256Hex } from '../bytes/digest.ts'
import type { KnownFormat, OutputId } from '../catalog/outputs.ts'
import { openEncryptedZip, writeEncryptedZip } from '../containers/zip/encrypted.ts'
import { decryptOoxml, encryptOoxml } from '../formats/office/encrypt.ts'
import { encryptPdf, findObstacleInObjects, verifyEncryptedPdf } from '../formats/pdf/encrypt.ts'
import type { Sink, Source } from '../model/codec.ts'
import type { ResultSink } from '../model/sink.ts'
import { passwordObstacle } from './password.ts'

export interface EncryptedResult {
  readonly encrypted: Source
  /** File name of the encrypted file: the name of the result, with `.zip` appended if it is in an archive. */
  readonly name: string
  readonly output: OutputId
}

/** Encryption method of one kind of result: it encrypts a file and proves that the file can be decrypted. */
interface Encryption {
  readonly name: string
  readonly output: OutputId
  write(source: Source, sink: Sink, password: string): Promise<void>
  /**
   * Decrypts `encrypted` and compares it with `result`.
   * @throws Error if the contents differ
   */
  prove(result: Source, encrypted: Source, password: string): Promise<void>
}

/** File to encrypt: a compressed result, or the original if it stayed unchanged. */
export interface PlainResult {
  readonly source: Source
  /** Format of the file. It may differ from the format of the original, for example `zst` for a text. */
  readonly output: OutputId
  readonly format: KnownFormat
  /** File name, without a path. */
  readonly name: string
}

/**
 * Encrypts `plain` with `password` and proves that it decrypts.
 * @param openSink called once with the name of the encrypted file; the sink must accept slightly more bytes than `plain` has
 * @throws Error if the encrypted file does not decrypt to `plain`; the caller must not return it to anyone
 */
export async function encryptResult(
  plain: PlainResult,
  password: string,
  openSink: (name: string) => Promise<ResultSink>,
): Promise<EncryptedResult> {
  const encryption = await encryptionFor(plain)
  const sink = await openSink(encryption.name)
  try {
    await encryption.write(plain.source, sink, password)
    const encrypted = await sink.finish()
    await encryption.prove(plain.source, encrypted, password)
    return { encrypted, name: encryption.name, output: encryption.output }
  } catch (error) {
    await sink.abort()
    throw error
  }
}

async function encryptionFor({ source, output, format, name }: PlainResult): Promise<Encryption> {
  if (format.password === 'ooxml' && output === format.id && !(await passwordObstacle(source, format))) {
    return { name, output, write: encryptOoxml, prove: sameBytes(decryptOoxml) }
  }
  if (format.password === 'pdf' && output === format.id && !(await findObstacleInObjects(source))) {
    return { name, output, write: encryptPdf, prove: verifyEncryptedPdf }
  }
  // A path separator in the name would create a folder in the archive.
  const inner = name.replace(/[/\\]/g, '_')
  return {
    name: `${name}.zip`,
    output: 'zip',
    write: (plain, sink, password) => writeEncryptedZip(plain, sink, inner, password),
    prove: sameBytes(openEncryptedZip),
  }
}

/** Returns a proof that the decrypted file has the same SHA-256 as the original. */
function sameBytes(open: (encrypted: Source, password: string) => AsyncGenerator<Uint8Array>): Encryption['prove'] {
  return async (result, encrypted, password) => {
    const [expected, opened] = [await sha256Hex(result.stream()), await sha256Hex(open(encrypted, password))]
    if (expected !== opened) throw new Error(`the encrypted file decrypts to SHA-256 ${opened}, expected ${expected}`)
  }
}
