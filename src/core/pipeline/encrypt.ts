/**
 * Puts a result under the caller's password: Office documents get ECMA-376 agile encryption, PDF its own, everything else
 * a WinZip AES-256 archive around it. What was written is opened again with the password and compared before it counts.
 */
import { createHash } from 'node:crypto'
import type { KnownFormat, OutputId } from '../catalog/outputs.ts'
import { openEncryptedZip, writeEncryptedZip } from '../containers/zip/encrypted.ts'
import { decryptOoxml, encryptOoxml } from '../formats/office/encrypt.ts'
import { encryptPdf, obstacleInObjects, proveEncryptedPdf } from '../formats/pdf/encrypt.ts'
import type { Sink, Source } from '../model/codec.ts'
import type { ResultSink } from '../model/sink.ts'
import { passwordObstacle } from './password.ts'

export interface EncryptedResult {
  readonly encrypted: Source
  /** File name: that of the result, with `.zip` behind it where an archive stands around it. */
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

/** What the password protects: a compressed result, or the upload when it stayed unchanged. */
export interface PlainResult {
  readonly source: Source
  /** What it is, which may differ from the upload's `format` (a text's `zst`). */
  readonly output: OutputId
  readonly format: KnownFormat
  /** File name, without a path. */
  readonly name: string
}

/**
 * @param openSink called once, with the encrypted file's name; the sink must take a little more than `plain` has.
 * @throws Error when the encrypted file does not open again; it must not be handed out.
 */
export async function encryptResult(
  plain: PlainResult,
  password: string,
  openSink: (name: string) => Promise<ResultSink>,
): Promise<EncryptedResult> {
  const lock = await lockFor(plain)
  const sink = await openSink(lock.name)
  try {
    await lock.write(plain.source, sink, password)
    const encrypted = await sink.finish()
    await lock.prove(plain.source, encrypted, password)
    return { encrypted, name: lock.name, output: lock.output }
  } catch (error) {
    await sink.abort()
    throw error
  }
}

async function lockFor({ source, output, format, name }: PlainResult): Promise<Lock> {
  if (format.password === 'ooxml' && output === format.id && !(await passwordObstacle(source, format))) {
    return { name, output, write: encryptOoxml, prove: sameBytes(decryptOoxml) }
  }
  if (format.password === 'pdf' && output === format.id && !(await obstacleInObjects(source))) {
    return { name, output, write: encryptPdf, prove: proveEncryptedPdf }
  }
  // A separator inside the name would make the entry a file in a folder.
  const inner = name.replace(/[/\\]/g, '_')
  return {
    name: `${name}.zip`,
    output: 'zip',
    write: (plain, sink, password) => writeEncryptedZip(plain, sink, inner, password),
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
