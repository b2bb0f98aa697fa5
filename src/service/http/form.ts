/** Upload form (multipart): validates text fields while reading, passes files to `receive` one after another, and enforces limits. */
import { apiMessage } from '../i18n/message.ts'
import { ApiError, invalidParameter } from '../tasks/api-error.ts'
import type { ChunkReader } from '../tasks/body-stream.ts'
import { cleanFileName } from '../tasks/file-name.ts'
import { BodyWindow, boundaryOf, type Part, parseMultipart } from './multipart.ts'
import { malformed } from './multipart-disposition.ts'
import { duplicateField, unknownField } from './unknown-fields.ts'

export interface FormRules<File> {
  /** Field names of files, of finished uploads, of addresses, and of objects in buckets. */
  readonly fileFields: readonly string[]
  readonly uploadFields: readonly string[]
  readonly urlFields: readonly string[]
  readonly objectFields: readonly string[]
  /** Maximum number of files, finished uploads, addresses and objects together. */
  readonly maxFiles: number
  /** Names of all other fields. */
  readonly textFields: readonly string[]
  /** Those of them that hold a JSON object. A JSON body may have it as an object. */
  readonly jsonFields: readonly string[]
  /**
   * Validates a text field.
   * @throws ApiError if the value is not allowed
   */
  checkField(name: string, value: string): void
  /** Receives the bytes of one file. It must read all of them or throw. */
  receive(fileName: string, body: AsyncIterable<Uint8Array>): Promise<File>
  /** Receives the id of a finished upload. */
  take(uploadId: string): Promise<File>
  /** Receives the address of a file that the service fetches itself. */
  takeUrl(url: string): Promise<File>
  /** Receives the place of an object in a bucket, as JSON text. */
  takeObject(name: string, text: string): Promise<File>
}

type SourceKind = 'file' | 'upload' | 'url' | 'source'

export interface Form<File> {
  readonly fields: ReadonlyMap<string, string>
  readonly files: readonly File[]
}

/** Files and fields received so far, from a multipart or a JSON body. */
export class FormContents<File> implements Form<File> {
  readonly fields = new Map<string, string>()
  readonly files: File[] = []
  readonly #rules: FormRules<File>
  #kind: SourceKind | undefined

  constructor(rules: FormRules<File>) {
    this.#rules = rules
  }

  async addFile(kind: SourceKind, take: () => Promise<File>): Promise<void> {
    const { maxFiles } = this.#rules
    if (this.files.length === maxFiles) throw maxFiles === 1 && kind !== this.#kind ? oneSourceOnly(kind) : tooManyFiles(maxFiles)
    this.#kind = kind
    this.files.push(await take())
  }

  /** Adds a source that is named by text. `undefined`: the field is none. */
  sourceNamed(name: string, text: string): Promise<void> | undefined {
    const { uploadFields, urlFields, objectFields, take, takeUrl, takeObject } = this.#rules
    if (uploadFields.includes(name)) return this.addFile('upload', () => take(text))
    if (urlFields.includes(name)) return this.addFile('url', () => takeUrl(text))
    if (objectFields.includes(name)) return this.addFile('source', () => takeObject(name, text))
    return undefined
  }

  addField(name: string, value: string): void {
    if (this.fields.has(name)) throw duplicateField(name)
    this.#rules.checkField(name, value)
    this.fields.set(name, value)
  }
}

const MAX_FIELD_BYTES = 8 * 1024
/** Maximum number of file inputs without a file. */
const MAX_EMPTY_INPUTS = 64
/** Bytes of the body that are read and discarded after a refusal, so that the client can receive the error. */
export const DRAIN_BYTES = 64 * 1024 * 1024

export async function readForm<File>(
  request: Request,
  rules: FormRules<File>,
  watch?: (reader: ChunkReader) => ChunkReader,
): Promise<Form<File>> {
  const boundary = boundaryOf(request.headers.get('Content-Type') ?? undefined)
  if (!request.body) throw malformed('body_is_empty')
  const window = new BodyWindow(request.body, watch)
  try {
    const form = await readParts(parseMultipart(window, boundary), rules)
    await window.drain(DRAIN_BYTES) // skips the multipart epilogue
    return form
  } catch (error) {
    await window.drain(DRAIN_BYTES)
    throw error
  }
}

async function readParts<File>(parts: AsyncIterable<Part>, rules: FormRules<File>): Promise<Form<File>> {
  const { fileFields, uploadFields, urlFields, objectFields, textFields } = rules
  const contents = new FormContents(rules)
  let empty = 0
  for await (const part of parts) {
    const { name, fileName } = part
    if (fileFields.includes(name)) {
      if (fileName === undefined) throw withoutFileName(name)
      const body = await withoutEmptyInput(part)
      if (body) await contents.addFile('file', () => rules.receive(cleanFileName(fileName), body))
      else if (++empty > MAX_EMPTY_INPUTS) throw malformed(apiMessage('too_many_empty_inputs', { limit: MAX_EMPTY_INPUTS }))
      continue
    }
    const isUpload = uploadFields.includes(name)
    const known = [...fileFields, ...uploadFields, ...urlFields, ...objectFields, ...textFields]
    if (!known.includes(name)) throw unknownField(name, known)
    if (fileName !== undefined) throw isUpload && contents.files.length === 0 ? underAnotherName(name, rules) : notText(name)
    const text = await readField(part)
    const added = contents.sourceNamed(name, text)
    if (added) await added
    else contents.addField(name, text)
  }
  return contents
}

/** Browsers send a file input without a selected file as an empty part with an empty name. It does not count as a file. */
async function withoutEmptyInput(part: Part): Promise<AsyncIterable<Uint8Array> | undefined> {
  if (part.fileName !== '') return part.body
  const iterator = part.body[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done) return undefined
  const held = first.value.slice()
  return (async function* () {
    yield held
    yield* part.body
  })()
}

async function readField(part: Part): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of part.body) {
    size += chunk.length
    if (size > MAX_FIELD_BYTES)
      throw invalidParameter(part.name, apiMessage('field_longer_than_bytes', { name: part.name, limit: MAX_FIELD_BYTES }))
    chunks.push(chunk.slice())
  }
  return decodeText(part.name, chunks)
}

function decodeText(name: string, chunks: Uint8Array[]): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode()
  } catch {
    throw invalidParameter(name, apiMessage('field_not_utf_8_text', { name }))
  }
}

/** Error for a text part in a file field. */
const withoutFileName = (param: string) => new ApiError('missing_file', apiMessage('part_without_file_name', { name: param }), { param })

/** Error for a file in the field of finished uploads. */
const underAnotherName = <File>(name: string, { fileFields: [file] }: FormRules<File>) =>
  new ApiError('missing_file', apiMessage('file_under_another_name', { name, file: String(file) }), { param: file })

const notText = (name: string) => invalidParameter(name, apiMessage('field_must_be_text', { name }))

const oneSourceOnly = (kind: SourceKind) => invalidParameter(kind === 'file' ? 'upload' : kind, 'one_source_only')

const tooManyFiles = (limit: number) =>
  new ApiError('too_many_files', limit === 1 ? 'one_file_only' : apiMessage('too_many_files', { limit }), { limit })
