/**
 * What the texts of a document say of its parts, gathered in one pass: each text is read, decoded and scanned once, and answers
 * all questions about it. Compression plans from these facts; verification checks a result against those of the original.
 */
import { isEngineError } from '../../../../wasm/engine-error.ts'
import { decodeXml, readTags, type TagReader } from '../../containers/xml/scan.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { IN_MEMORY_BYTES } from '../../containers/zip/limits.ts'
import { readEntry } from '../../containers/zip/read.ts'
import { PossibleCharacters } from './characters.ts'
import { type CropText, CropUses } from './crops.ts'
import { isImage, MOST_RELS_BYTES, type OoxmlDocument, type Rels } from './document.ts'
import { type EmbeddedFonts, FontKeys, fontParts, fontsOf, MOST_TABLE_BYTES } from './fonts.ts'
import { type LayoutTexts, layoutsWithoutSlides, MasterTags, PlainLayout } from './layouts.ts'
import { PictureUses, SlideSize } from './usage.ts'

/** Texts above this are not searched: their pictures keep all pixels, and fonts all glyphs. */
const MOST_SEARCHED_BYTES = 24 * 1024 * 1024

/** What is asked of a document. */
export interface Questions {
  /** At which size its pictures are shown. */
  readonly shown: boolean
  /** What `ultra` may leave out: parts of pictures, slide layouts, glyphs of fonts. */
  readonly spare: boolean
  /** Names of media files that may go if no text has them, by part. */
  readonly media: ReadonlyMap<string, string>
}

export interface DocumentFacts {
  /** How the text behind these relationships shows its pictures. Absent: it cannot be read, or was not asked for. */
  readonly pictures: ReadonlyMap<Rels, PictureUses>
  /** Texts that crop pictures. */
  readonly crops: ReadonlyMap<Rels, CropText>
  readonly layouts: LayoutTexts
  /** Media files that no text names. */
  readonly unnamedMedia: ReadonlySet<string>
  /** Embedded fonts and the characters they must show. `undefined`: there are none, or nobody can tell. */
  readonly fonts: EmbeddedFonts | undefined
}

/** Gathers what is asked. @throws CodecError (malformed) if a text that is asked cannot be read from the package */
export async function gatherFacts(document: OoxmlDocument, questions: Questions, signal: AbortSignal): Promise<DocumentFacts> {
  return new FactScan(document, questions, signal).run()
}

/** A reader of one text, and what is kept of it if the whole text could be read. */
interface Question {
  readonly reader: TagReader
  /** False: the answer is known to be nothing, without a look at the tags. `undefined`: always asked. */
  asks?(xml: string): boolean
  keep(xml: string): void
}

class FactScan {
  readonly #document: OoxmlDocument
  readonly #questions: Questions
  readonly #signal: AbortSignal
  readonly #rels: ReadonlyMap<string, Rels[]>
  readonly #pictures = new Map<Rels, PictureUses>()
  readonly #crops = new Map<Rels, CropText>()
  readonly #plain = new Set<string>()
  readonly #masters = new Map<string, MasterTags>()
  readonly #fontKeys = new Map<Rels, FontKeys>()
  /** Relationships to layouts that may go, by master; layouts that may go. */
  readonly #spareIds = new Map<string, Set<string>>()
  readonly #spareLayouts = new Set<string>()
  readonly #media: Map<string, string>
  #slide: SlideSize | undefined
  #characters: PossibleCharacters | undefined
  /** Texts that were read before the others, until their turn comes. */
  readonly #early = new Map<string, string | undefined>()

  constructor(document: OoxmlDocument, questions: Questions, signal: AbortSignal) {
    this.#document = document
    this.#questions = questions
    this.#signal = signal
    this.#rels = Map.groupBy(document.rels, ({ owner }) => owner)
    this.#media = new Map(questions.media)
    for (const { owner, unused } of questions.spare ? layoutsWithoutSlides(document) : []) {
      if (unused.length === 0) continue
      this.#spareIds.set(owner, new Set(unused.map(({ id }) => id)))
      for (const { part } of unused) this.#spareLayouts.add(part!)
    }
  }

  async run(): Promise<DocumentFacts> {
    if (this.#questions.shown) await this.#readEarly('ppt/presentation.xml', MOST_RELS_BYTES, this.#slideQuestions())
    for (const [owner, rels] of this.#questions.spare ? this.#rels : []) {
      const asked = rels.filter((each) => fontsOf(each).length > 0)
      if (asked.length > 0)
        await this.#readEarly(
          owner,
          MOST_TABLE_BYTES,
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

  /** Reads a text on whose answers the questions to all others depend. */
  async #readEarly(part: string, mostBytes: number, questions: readonly Question[]): Promise<void> {
    const entry = this.#document.parts.get(part)
    if (!entry || entry.opaque || entry.size > mostBytes) return
    if (!this.#early.has(part)) this.#early.set(part, textOf(await readEntry(this.#document.archive, entry)))
    answer(this.#early.get(part), questions)
  }

  async #read(part: string, entry: ZipEntry): Promise<void> {
    this.#signal.throwIfAborted()
    const questions = entry.opaque ? [] : this.#questionsTo(part, entry)
    const plainText = /\.(xml|vml|rels)$/.test(part)
    const mayShow = plainText && this.#characters !== undefined
    if (mayShow && (entry.opaque || entry.size > MOST_SEARCHED_BYTES)) this.#characters = undefined
    const asksCharacters = mayShow && this.#characters !== undefined
    const asksMedia = plainText && this.#media.size > 0
    const early = this.#early.has(part)
    if (questions.length === 0 && !asksCharacters && !asksMedia) {
      this.#early.delete(part)
      return
    }
    // A text that is too large for memory may name any file.
    if (asksMedia && entry.size > IN_MEMORY_BYTES) {
      this.#media.clear()
      return
    }
    const bytes = asksMedia || !early ? await readEntry(this.#document.archive, entry) : undefined
    if (asksMedia && bytes) this.#findMedia(bytes)
    if (questions.length === 0 && !asksCharacters) return
    const text = early ? this.#early.get(part) : bytes && textOf(bytes)
    this.#early.delete(part)
    answer(text, questions)
    if (asksCharacters && (text === undefined || !this.#characters?.add(text))) this.#characters = undefined
  }

  #findMedia(bytes: Uint8Array): void {
    const text = new TextDecoder('latin1').decode(bytes)
    for (const [part, name] of this.#media) if (text.includes(name)) this.#media.delete(part)
  }

  #questionsTo(part: string, entry: ZipEntry): Question[] {
    const questions: Question[] = []
    if (entry.size <= MOST_SEARCHED_BYTES) {
      for (const rels of this.#rels.get(part) ?? []) for (const question of this.#pictureQuestions(rels)) questions.push(question)
    }
    if (this.#spareLayouts.has(part)) {
      const reader = new PlainLayout()
      questions.push({ reader, keep: () => reader.plain && this.#plain.add(part) })
    }
    const ids = this.#spareIds.get(part)
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
    if (this.#questions.spare) {
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

/** `undefined`: the text is not in an encoding that XML has. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decodeXml(bytes)
  } catch (error) {
    if (isEngineError(error, 'xml')) return undefined
    throw error
  }
}

function answer(text: string | undefined, questions: readonly Question[]): void {
  const asked = text === undefined ? [] : questions.filter(({ asks }) => asks?.(text) ?? true)
  if (text === undefined || asked.length === 0) return
  const failed = readTags(
    text,
    asked.map(({ reader }) => reader),
  )
  for (const { reader, keep } of asked) if (!failed.has(reader)) keep(text)
}

/** Files in a media folder that no relationship leads to, with their names: `ultra` leaves them out if no text names them. */
export function mediaWithoutRelationship(document: OoxmlDocument): Map<string, string> {
  const targets = new Set(document.rels.flatMap(({ relationships }) => relationships.map(({ part }) => part)))
  const found = new Map<string, string>()
  for (const [part, entry] of document.parts) {
    if (/(^|\/)media\/[^/]+$/.test(part) && !targets.has(part)) found.set(part, entry.name.split(/[/\\]/).at(-1)!)
  }
  return found
}
