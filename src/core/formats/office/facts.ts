/**
 * Collects facts about a document's parts in one pass: each text is read, decoded and scanned once. Compression plans from these facts, and
 * verification checks the result against those of the original.
 */
import { isEngineError } from '../../../../wasm/engine-error.ts'
import { groupBy } from '../../bytes/group-by.ts'
import { decodeXml, readTags, type TagReader } from '../../containers/xml/scan.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { IN_MEMORY_BYTES } from '../../containers/zip/limits.ts'
import { readEntry } from '../../containers/zip/read.ts'
import { PossibleCharacters } from './characters.ts'
import { type CropText, CropUses } from './crops.ts'
import { isImage, MAX_RELS_BYTES, type OoxmlDocument, type Rels } from './document.ts'
import { type EmbeddedFonts, FontKeys, fontParts, fontsOf, MAX_FONT_KEYS_BYTES } from './fonts.ts'
import { type LayoutTexts, layoutsWithoutSlides, MasterTags, PlainLayoutTest } from './layouts.ts'
import { MAX_SEARCHED_BYTES } from './tuning.ts'
import { PictureUses, SlideSize } from './usage.ts'

/** Kinds of facts that `gatherFacts` collects from a document. */
export interface FactRequest {
  /** True to collect the displayed sizes of pictures. */
  readonly shown: boolean
  /** True to collect what level `ultra` may remove: cropped parts of pictures, slide layouts, glyphs of fonts. */
  readonly removable: boolean
  /** Names of media files by part. They may be removed if no text contains them. */
  readonly media: ReadonlyMap<string, string>
}

export interface DocumentFacts {
  /** Uses of pictures in the text of these relationships. Absent: the text cannot be read, or `FactRequest.shown` is false. */
  readonly pictures: ReadonlyMap<Rels, PictureUses>
  /** Texts that crop pictures. */
  readonly crops: ReadonlyMap<Rels, CropText>
  readonly layouts: LayoutTexts
  /** Media files whose name occurs in no text. */
  readonly unnamedMedia: ReadonlySet<string>
  /** Embedded fonts and the characters they must show. `undefined`: no fonts, or the characters cannot be determined. */
  readonly fonts: EmbeddedFonts | undefined
}

/** Collects the requested facts. @throws CodecError (malformed) if a needed text cannot be read from the package */
export async function gatherFacts(document: OoxmlDocument, questions: FactRequest, signal: AbortSignal): Promise<DocumentFacts> {
  return new FactScan(document, questions, signal).run()
}

/** A tag reader for one XML text, and a callback that stores its result if the whole text could be read. */
interface Question {
  readonly reader: TagReader
  /** Returns false if the text cannot contain what the reader collects, so that its tags are not scanned. `undefined`: always scan. */
  asks?(xml: string): boolean
  keep(xml: string): void
}

class FactScan {
  readonly #document: OoxmlDocument
  readonly #questions: FactRequest
  readonly #signal: AbortSignal
  readonly #rels: ReadonlyMap<string, Rels[]>
  readonly #pictures = new Map<Rels, PictureUses>()
  readonly #crops = new Map<Rels, CropText>()
  readonly #plain = new Set<string>()
  readonly #masters = new Map<string, MasterTags>()
  readonly #fontKeys = new Map<Rels, FontKeys>()
  /** By master, ids of relationships to layouts that may be removed. `#removableLayouts`: the layouts. */
  readonly #removableIds = new Map<string, Set<string>>()
  readonly #removableLayouts = new Set<string>()
  readonly #media: Map<string, string>
  #slide: SlideSize | undefined
  #characters: PossibleCharacters | undefined
  /** Texts of parts that were read early. Each is kept until the scan reaches its part. */
  readonly #textsReadEarly = new Map<string, string | undefined>()

  constructor(document: OoxmlDocument, questions: FactRequest, signal: AbortSignal) {
    this.#document = document
    this.#questions = questions
    this.#signal = signal
    this.#rels = groupBy(document.rels, ({ owner }) => owner)
    this.#media = new Map(questions.media)
    for (const { owner, unused } of questions.removable ? layoutsWithoutSlides(document) : []) {
      if (unused.length === 0) continue
      this.#removableIds.set(owner, new Set(unused.map(({ id }) => id)))
      for (const { part } of unused) this.#removableLayouts.add(part!)
    }
  }

  async run(): Promise<DocumentFacts> {
    if (this.#questions.shown) await this.#readEarly('ppt/presentation.xml', MAX_RELS_BYTES, this.#slideQuestions())
    for (const [owner, rels] of this.#questions.removable ? this.#rels : []) {
      const asked = rels.filter((each) => fontsOf(each).length > 0)
      if (asked.length > 0)
        await this.#readEarly(
          owner,
          MAX_FONT_KEYS_BYTES,
          asked.map((each) => this.#fontQuestion(each)),
        )
    }
    const keys = fontParts(this.#document, (rels) => this.#fontKeys.get(rels))
    if (keys.size > 0) this.#characters = new PossibleCharacters()
    for (const [part, entry] of this.#document.parts) await this.#read(part, entry)
    const characters = this.#characters?.finish()
    return {
      pictures: this.#pictures,
      crops: this.#crops,
      layouts: { plain: this.#plain, masters: this.#masters },
      unnamedMedia: new Set(this.#media.keys()),
      fonts: characters && { keys, characters },
    }
  }

  /** Reads a text first whose facts decide what is collected from all other texts. */
  async #readEarly(part: string, mostBytes: number, questions: readonly Question[]): Promise<void> {
    const entry = this.#document.parts.get(part)
    if (!entry || entry.opaque || entry.size > mostBytes) return
    if (!this.#textsReadEarly.has(part)) this.#textsReadEarly.set(part, textOf(await readEntry(this.#document.archive, entry)))
    runReaders(this.#textsReadEarly.get(part), questions)
  }

  async #read(part: string, entry: ZipEntry): Promise<void> {
    this.#signal.throwIfAborted()
    const questions = entry.opaque ? [] : this.#questionsTo(part, entry)
    const plainText = /\.(xml|vml|rels)$/.test(part)
    const mayShow = plainText && this.#characters !== undefined
    if (mayShow && (entry.opaque || entry.size > MAX_SEARCHED_BYTES)) this.#characters = undefined
    const asksCharacters = mayShow && this.#characters !== undefined
    const asksMedia = plainText && this.#media.size > 0
    const early = this.#textsReadEarly.has(part)
    if (questions.length === 0 && !asksCharacters && !asksMedia) {
      this.#textsReadEarly.delete(part)
      return
    }
    // A text that is too large for memory may refer to any media file.
    if (asksMedia && entry.size > IN_MEMORY_BYTES) {
      this.#media.clear()
      return
    }
    const bytes = asksMedia || !early ? await readEntry(this.#document.archive, entry) : undefined
    if (asksMedia && bytes) this.#findMedia(bytes)
    if (questions.length === 0 && !asksCharacters) return
    const text = early ? this.#textsReadEarly.get(part) : bytes && textOf(bytes)
    this.#textsReadEarly.delete(part)
    runReaders(text, questions)
    if (asksCharacters && (text === undefined || !this.#characters?.add(text))) this.#characters = undefined
  }

  #findMedia(bytes: Uint8Array): void {
    const text = new TextDecoder('latin1').decode(bytes)
    for (const [part, name] of this.#media) if (text.includes(name)) this.#media.delete(part)
  }

  #questionsTo(part: string, entry: ZipEntry): Question[] {
    const questions: Question[] = []
    if (entry.size <= MAX_SEARCHED_BYTES) {
      for (const rels of this.#rels.get(part) ?? []) for (const question of this.#pictureQuestions(rels)) questions.push(question)
    }
    if (this.#removableLayouts.has(part)) {
      const reader = new PlainLayoutTest()
      questions.push({ reader, keep: () => reader.plain && this.#plain.add(part) })
    }
    const ids = this.#removableIds.get(part)
    if (ids) {
      const reader = new MasterTags(ids)
      questions.push({ reader, keep: () => this.#masters.set(part, reader) })
    }
    return questions
  }

  #pictureQuestions(rels: Rels): Question[] {
    const ids = new Set(rels.relationships.filter(isImage).map(({ id }) => id))
    if (ids.size === 0) return []
    const questions: Question[] = []
    if (this.#questions.shown) {
      const reader = new PictureUses(ids, this.#slide?.size)
      questions.push({ reader, keep: () => this.#pictures.set(rels, reader) })
    }
    if (this.#questions.removable) {
      const reader = new CropUses(ids)
      const asks = (xml: string) => xml.includes('srcRect')
      questions.push({ reader, asks, keep: (xml) => this.#crops.set(rels, { xml, uses: reader.finish() }) })
    }
    return questions
  }

  #slideQuestions(): Question[] {
    this.#slide = new SlideSize()
    return [{ reader: this.#slide, keep: () => undefined }]
  }

  #fontQuestion(rels: Rels): Question {
    const reader = new FontKeys()
    return { reader, keep: () => this.#fontKeys.set(rels, reader) }
  }
}

/** Decodes an XML text. `undefined`: the encoding is not supported. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decodeXml(bytes)
  } catch (error) {
    if (isEngineError(error, 'xml')) return undefined
    throw error
  }
}

function runReaders(text: string | undefined, questions: readonly Question[]): void {
  const asked = text === undefined ? [] : questions.filter(({ asks }) => asks?.(text) ?? true)
  if (text === undefined || asked.length === 0) return
  const failed = readTags(
    text,
    asked.map(({ reader }) => reader),
  )
  for (const { reader, keep } of asked) if (!failed.has(reader)) keep(text)
}

/** Files in a media folder that no relationship refers to, with their names. Level `ultra` removes them if no text contains their names. */
export function mediaWithoutRelationship(document: OoxmlDocument): Map<string, string> {
  const targets = new Set(document.rels.flatMap(({ relationships }) => relationships.map(({ part }) => part)))
  const found = new Map<string, string>()
  for (const [part, entry] of document.parts) {
    if (/(^|\/)media\/[^/]+$/.test(part) && !targets.has(part)) found.set(part, entry.name.split(/[/\\]/).at(-1)!)
  }
  return found
}
