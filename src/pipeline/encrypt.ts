/**
 * Puts a result under the caller's password: Office documents get ECMA-376 agile encryption, PDF its own, everything else
 * a WinZip AES-256 archive around it. What was written is opened again with the password and compared before it counts.
 */
import { createHash } from 'node:crypto'
import type { Sink, Source } from '../codec/codec.ts'
import type { ResultSink } from '../codec/sink.ts'
import { openEncryptedZip, writeEncryptedZip } from '../containers/zip/encrypted.ts'
import { decryptOoxml, encryptOoxml } from '../formats/office/encrypt.ts'
import type { KnownFormat, OutputId } from '../formats/outputs.ts'
import { encryptPdf, pdfPasswordUse, proveEncryptedPdf } from '../formats/pdf/encrypt.ts'
import { passwordApplies } from './password.ts'

export interface EncryptedResult {
  readonly encrypted: Source
  /** File name of what was encrypted: `resultName`, or `resultName.zip` where an archive stands around it. */
  readonly name: string
  readonly output: OutputId
}

/** How one kind of result is locked, and opened again for the proof. */
interface Lock {
  readonly name: string
  readonly output: OutputId
  write(source: Source, sink: Sink, password: string): Promise<void>
  /** Opens what was written and compares it with what went in; throws when it is something else. */
  prove(result: Source, encrypted: Source, password: string): Promise<void>
}

/**
 * @param result what the password protects: a compressed result, or the upload when it stayed unchanged.
 * @param output what `result` is, which may differ from the upload's `format` (a text's `zst`).
 * @param resultName its file name, without a path.
 * @param openSink called once, with the encrypted file's name; the sink must take a little more than `result` has.
 * @throws Error when the encrypted file does not open again; it must not be handed out.
 */
export async function encryptResult(
  result: Source,
  output: OutputId,
  format: KnownFormat,
  resultName: string,
  password: string,
  openSink: (name: string) => Promise<ResultSink>,
): Promise<EncryptedResult> {
  const lock = await lockFor(result, output, format, resultName)
  const sink = await openSink(lock.name)
  try {
    await lock.write(result, sink, password)
    const encrypted = await sink.finish()
    await lock.prove(result, encrypted, password)
    return { encrypted, name: lock.name, output: lock.output }
  } catch (error) {
    await sink.abort()
    throw error
  }
}

async function lockFor(result: Source, output: OutputId, format: KnownFormat, resultName: string): Promise<Lock> {
  if (format.password === 'ooxml' && output === format.id && (await passwordApplies(result, format))) {
    return { name: resultName, output, write: encryptOoxml, prove: sameBytes(decryptOoxml) }
  }
  if (format.password === 'pdf' && output === format.id && (await pdfPasswordUse(result)) === 'applies') {
    return { name: resultName, output, write: encryptPdf, prove: proveEncryptedPdf }
  }
  // A separator inside the name would make the entry a file in a folder.
  const inner = resultName.replace(/[/\\]/g, '_')
  return {
    name: `${resultName}.zip`,
    output: 'zip',
    write: (source, sink, password) => writeEncryptedZip(source, sink, inner, password),
    prove: sameBytes(openEncryptedZip),
  }
}

/** Opened, the encrypted file has the SHA-256 of what went in. */
function sameBytes(open: (encrypted: Source, password: string) => AsyncGenerator<Uint8Array>): Lock['prove'] {
  return async (result, encrypted, password) => {
    const [expected, opened] = [await sha256(result.stream()), await sha256(open(encrypted, password))]
    if (expected !== opened) throw new Error(`the encrypted file opens to ${opened}, not ${expected}`)
  }
}

async function sha256(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}
