/** Scans how a document uses its images and fonts: the drawn size of each image, and the character codes shown with each font. */

import { concat } from '../../bytes/concat.ts'
import { isCodecError, overBudget } from '../../model/error.ts'
import { type ContentSummary, type Draw, interpret } from './content.ts'
import type { Duplicates } from './duplicates.ts'
import { FontUsage, type ShownFont } from './fonts/shown.ts'
import { IDENTITY, type Matrix, multiply, sideLengths, toMatrix } from './matrix.ts'
import { sortByFilePosition } from './object-head-index.ts'
import { Dict, nameOf, numberOr, type PdfObject, PdfSyntax, Ref, Stream } from './objects.ts'
import { type PageBox, type PicturePlacement, RenderedPage } from './page-render-sizes.ts'
import type { Reader } from './reader.ts'
import { MAX_ALL_CONTENT_BYTES, MAX_PLACEMENTS, SCAN_LIMITS } from './tuning.ts'
import { UnscannedImages } from './unfollowed.ts'

/** Drawn size and placements of an image. */
export interface DrawnImage {
  /** Largest drawn width and height in points. */
  width: number
  height: number
  /** All placements of the image on pages. */
  readonly placements: PicturePlacement[]
}

export interface DocumentUsage {
  /** Usage of images by object number. A missing image is drawn in a form that the scan did not follow. */
  images: Map<number, DrawnImage>
  pages: readonly RenderedPage[]
  fonts: FontUsage
  /**
   * True if a transfer function (ISO 32000-2, 10.5) may change the appearance of pictures. Small sample errors may then become large errors
   * on the page.
   */
  hasTransferFunction: boolean
}

/** Default page rectangle in points: A4. */
const DEFAULT_PAGE_BOX: PageBox = [0, 0, 595, 842]

interface Form {
  draws: Draw[]
  resources: Dict | undefined
  matrix: Matrix
}

export class UsageScan {
  private readonly reader: Reader
  private readonly duplicates: Duplicates
  private readonly signal: AbortSignal
  private readonly images = new Map<number, DrawnImage>()
  private readonly fonts: FontUsage
  private readonly forms = new Map<number, Form | undefined>()
  /** Forms and Type 3 fonts without their own resources, mapped to the resources they used last. */
  private readonly inheritedResources = new Map<number, Dict>()
  private transfers = false
  private contentBytes = 0
  private placed = 0
  private places = 0
  private readonly sheets: RenderedPage[] = []
  /** Object numbers of forms and patterns that pages draw. */
  private readonly placedForms = new Set<number>()
  private readonly unfollowed: UnscannedImages
  /** True while a tiling pattern is processed; it may cover the whole page. */
  private repeated = false

  constructor(reader: Reader, duplicates: Duplicates, signal: AbortSignal) {
    this.reader = reader
    this.duplicates = duplicates
    this.signal = signal
    this.fonts = new FontUsage(reader, duplicates)
    this.unfollowed = new UnscannedImages(reader, duplicates)
  }

  async run(root: Dict, pages: readonly number[], objects: Iterable<number>): Promise<DocumentUsage> {
    for (const number of this.reader.readsInFileOrder ? await this.byContents(pages) : pages) {
      this.signal.throwIfAborted()
      await this.page(number)
    }
    // Content that no page draws, such as appearances, glyphs, unused forms and patterns, may still show text.
    const known = new Set(pages)
    for (const number of objects) if (!known.has(number)) await this.scanOtherContent(number)
    this.unfollowed.keepSize(this.images)
    await this.fonts.keepFormFonts(root)
    const images = this.fonts.unsafeReason === 'too much content' ? new Map<number, DrawnImage>() : this.images
    return { images, pages: this.sheets, fonts: this.fonts, hasTransferFunction: this.transfers }
  }

  /** Sorts pages by the file position of their content streams. */
  private async byContents(pages: readonly number[]): Promise<number[]> {
    const { reader } = this
    const first = new Map<number, number[]>()
    for (const number of pages) {
      const contents = (await reader.dict(new Ref(number, 0)))?.get('Contents')
      const item = Array.isArray(contents) ? contents[0] : contents
      const stream = item instanceof Ref ? item.number : number
      first.set(stream, [...(first.get(stream) ?? []), number])
    }
    return [...sortByFilePosition(reader.xref, [...first.keys()])].flatMap((stream) => first.get(stream) ?? [])
  }

  private async page(number: number): Promise<void> {
    const page = await this.reader.get(number)
    if (!(page instanceof Dict)) return
    const resources = await this.reader.dict(await this.inherited(page, 'Resources'))
    const unit = await this.reader.number(page, 'UserUnit', 1)
    this.sheets.push(new RenderedPage(await this.boxOf(page, unit)))
    try {
      const bytes = await this.contents(page.get('Contents'))
      const { draws } = await this.scan(bytes, resources)
      await this.place(draws, resources, [unit, 0, 0, unit, 0, 0], 0)
    } catch (error) {
      this.markUnreadable(error, 'unreadable page')
    }
  }

  /** Visible rectangle of a page in points (ISO 32000-2, 14.11.2): the crop box, or else the media box. */
  private async boxOf(page: Dict, unit: number): Promise<PageBox> {
    for (const key of ['CropBox', 'MediaBox']) {
      const box = await this.inherited(page, key)
      if (!Array.isArray(box)) continue
      const values = await Promise.all(box.slice(0, 4).map(async (item) => numberOr(await this.reader.resolve(item), Number.NaN) * unit))
      const [x0, y0, x1, y1] = values
      if (x0 === undefined || y0 === undefined || x1 === undefined || y1 === undefined || x0 === x1 || y0 === y1) continue
      const sorted: PageBox = [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)]
      if (sorted.every(Number.isFinite)) return sorted
    }
    return DEFAULT_PAGE_BOX
  }

  private markUnreadable(error: unknown, what: string): void {
    if (!(isCodecError(error, 'over_budget') || error instanceof PdfSyntax)) throw error
    this.fonts.markUnsafe(what)
  }

  /** Returns the decoded page content: one stream, or several streams joined (ISO 32000-2, 7.7.3.3, table 31). */
  private async contents(object: PdfObject | undefined): Promise<Uint8Array> {
    const value = await this.reader.resolve(object)
    const parts: Uint8Array[] = []
    let length = 0
    for (const item of Array.isArray(value) ? value : [value]) {
      const stream = await this.reader.resolve(item)
      if (!(stream instanceof Stream)) continue
      const bytes = await this.decoded(stream)
      length += bytes.length
      if (length > SCAN_LIMITS.contentBytes) throw overBudget('page_of_too_much_content')
      parts.push(bytes, Uint8Array.of(10))
    }
    return concat(parts)
  }

  private async decoded(stream: Stream): Promise<Uint8Array> {
    const bytes = await this.reader.decoded(stream, SCAN_LIMITS.contentBytes)
    this.contentBytes += bytes.length
    if (this.contentBytes > MAX_ALL_CONTENT_BYTES) {
      this.fonts.markUnsafe('too much content')
      throw overBudget('too_much_content')
    }
    return bytes
  }

  private async inherited(page: Dict, key: string): Promise<PdfObject> {
    let node: Dict | undefined = page
    for (let level = 0; node && level < SCAN_LIMITS.inheritance; level++) {
      const value = await this.reader.entry(node, key)
      if (value !== null) return value
      node = await this.reader.dict(node.get('Parent'))
    }
    return null
  }

  /** Interprets one content stream and reports its text to the fonts. */
  private async scan(bytes: Uint8Array, resources: Dict | undefined): Promise<ContentSummary> {
    const { fonts } = this
    const byName = new Map<string, ShownFont | undefined>()
    for (const [name, value] of (await this.reader.dict(resources?.get('Font'))) ?? []) {
      byName.set(name, await fonts.font(value))
      if (resources) await this.scanInheritingType3(value, resources)
    }
    const byState = new Map<string, ShownFont>()
    for (const [name, value] of (await this.reader.dict(resources?.get('ExtGState'))) ?? []) {
      const state = await this.reader.dict(value)
      if (await this.hasTransfer(state)) this.transfers = true
      const font = await this.reader.entry(state, 'Font')
      const shown = Array.isArray(font) ? await fonts.font(font[0]) : undefined
      if (shown) byState.set(name, shown)
    }
    let current: ShownFont | undefined
    const saved: (ShownFont | undefined)[] = []
    const summary = interpret(bytes, {
      font(name) {
        current = byName.get(name)
        // If the resources do not contain the font name, PDF readers search elsewhere or substitute a font.
        if (!current && !byName.has(name)) fonts.markUnsafe('a font that the resources do not name')
      },
      state(name) {
        current = byState.get(name) ?? current
      },
      save() {
        if (saved.length < 1000) saved.push(current)
      },
      restore() {
        if (saved.length > 0) current = saved.pop()
      },
      show(text) {
        if (current) fonts.addText(current, text)
        else fonts.markUnsafe('text without a font')
      },
    })
    if (summary.broken) this.fonts.markUnsafe('unreadable content')
    return summary
  }

  /**
   * True if a graphics state sets a transfer function by /TR or /TR2 (ISO 32000-2, 8.4.5, table 57): one function, or one per colour. Names
   * such as /Identity leave colours unchanged.
   */
  private async hasTransfer(state: Dict | undefined): Promise<boolean> {
    for (const key of ['TR2', 'TR']) {
      const value = await this.reader.entry(state, key)
      const functions = Array.isArray(value) ? await Promise.all(value.slice(0, 8).map((item) => this.reader.resolve(item))) : [value]
      if (functions.some((each) => each instanceof Dict || each instanceof Stream)) return true
    }
    return false
  }

  private async place(draws: readonly Draw[], resources: Dict | undefined, base: Matrix, depth: number): Promise<void> {
    if (depth > SCAN_LIMITS.formDepth || !resources) return
    const xobjects = draws.length ? await this.reader.dict(resources.get('XObject')) : undefined
    const states = draws.length ? await this.reader.dict(resources.get('ExtGState')) : undefined
    for (const draw of draws) {
      if (++this.placed > SCAN_LIMITS.drawnImages) {
        this.images.clear()
        return this.fonts.markUnsafe('too much content')
      }
      const matrix = multiply(draw.matrix, base)
      if (draw.kind === 'xobject') await this.drawObject(xobjects?.get(draw.name), resources, matrix, depth)
      else {
        // A soft mask is a transparency group that is drawn with the current matrix (ISO 32000-2, 11.6.5.1).
        const mask = await this.reader.entry(await this.reader.dict(states?.get(draw.name)), 'SMask')
        if (mask instanceof Dict) await this.drawObject(mask.get('G'), resources, matrix, depth)
      }
    }
    await this.placePatterns(resources, base, depth)
  }

  private async drawObject(object: PdfObject | undefined, resources: Dict, matrix: Matrix, depth: number): Promise<void> {
    if (!(object instanceof Ref)) return
    const number = this.duplicates.originalOf(object.number)
    const stream = await this.reader.get(number)
    if (!(stream instanceof Stream)) return
    if (nameOf(await this.reader.entry(stream.dict, 'Subtype')) === 'Image') {
      this.draw(number, matrix)
      for (const key of ['SMask', 'Mask']) {
        const mask = stream.dict.get(key)
        if (mask instanceof Ref) this.draw(this.duplicates.originalOf(mask.number), matrix)
      }
      return
    }
    const form = await this.form(number, stream, resources)
    this.placedForms.add(number)
    if (form) await this.place(form.draws, form.resources ?? resources, multiply(form.matrix, matrix), depth + 1)
  }

  /**
   * Places the content of tiling patterns (ISO 32000-2, 8.7.3). A pattern uses the coordinate space of the page or form that names it, not
   * the current matrix.
   */
  private async placePatterns(resources: Dict, base: Matrix, depth: number): Promise<void> {
    const patterns = await this.reader.dict(resources.get('Pattern'))
    for (const value of patterns?.values() ?? []) {
      if (!(value instanceof Ref)) continue
      const number = this.duplicates.originalOf(value.number)
      const stream = await this.reader.get(number)
      if (!(stream instanceof Stream)) continue
      if (++this.placed > SCAN_LIMITS.drawnImages) return
      const form = await this.form(number, stream, resources)
      this.placedForms.add(number)
      const { repeated } = this
      this.repeated = true
      if (form) await this.place(form.draws, form.resources ?? resources, multiply(form.matrix, base), depth + 1)
      this.repeated = repeated
    }
  }

  private draw(number: number, matrix: Matrix): void {
    const size = sideLengths(matrix)
    const known = this.images.get(number) ?? { width: 0, height: 0, placements: [] }
    const place = this.sheets.at(-1)?.addPicture(matrix, this.repeated)
    const last = known.placements.at(-1)
    if (place && last && isSame(place, last))
      known.placements[known.placements.length - 1] = { ...last, areaShare: last.areaShare + place.areaShare }
    else if (place && ++this.places <= MAX_PLACEMENTS) known.placements.push(place)
    known.width = Math.max(size.width, known.width)
    known.height = Math.max(size.height, known.height)
    this.images.set(number, known)
    // If some placements are not recorded, page loss cannot be computed, so all image sizes are discarded.
    if (this.places > MAX_PLACEMENTS) this.images.clear()
  }

  /**
   * Interprets a form XObject (ISO 32000-2, 8.10) or a pattern cell once. Forms without resources use those of their caller, and are
   * interpreted once per caller.
   */
  private async form(number: number, stream: Stream, inherited?: Dict): Promise<Form | undefined> {
    const inheritsResources = !stream.dict.has('Resources')
    if (this.forms.has(number) && !(inheritsResources && inherited && this.inheritedResources.get(number) !== inherited))
      return this.forms.get(number)
    if (inheritsResources && inherited && this.inheritedResources.size < SCAN_LIMITS.cachedForms)
      this.inheritedResources.set(number, inherited)
    // The entry is added before the form is parsed, which stops recursion in a form that draws itself.
    if (this.forms.size < SCAN_LIMITS.cachedForms) this.forms.set(number, undefined)
    const { dict } = stream
    try {
      const resources = await this.reader.dict(dict.get('Resources'))
      const { draws } = await this.scan(await this.decoded(stream), resources ?? inherited)
      const array = await this.reader.resolve(dict.get('Matrix'))
      const values = Array.isArray(array) ? await Promise.all(array.slice(0, 6).map((item) => this.reader.resolve(item))) : []
      const form = { draws, resources, matrix: toMatrix(values) ?? IDENTITY }
      if (this.forms.size < SCAN_LIMITS.cachedForms) this.forms.set(number, form)
      return form
    } catch (error) {
      this.markUnreadable(error, 'unreadable form')
      return undefined
    }
  }

  /** Scans content streams that may not belong to a page. */
  private async scanOtherContent(number: number): Promise<void> {
    if (this.duplicates.has(number)) return
    const object = await this.reader.get(number)
    if (object instanceof Stream) {
      const isForm = nameOf(object.dict.get('Subtype')) === 'Form' || numberOr(object.dict.get('PatternType'), 0) === 1
      if (isForm) await this.form(number, object)
      if (isForm && !this.placedForms.has(number)) await this.unfollowed.add(await this.reader.dict(object.dict.get('Resources')))
      return
    }
    if (!(object instanceof Dict)) return
    if (/^(Page|Template)$/.test(nameOf(object.get('Type')))) await this.template(object)
    if (object.has('DR')) await this.fonts.keepAllGlyphs(await this.reader.dict(object.get('DR')))
    if (nameOf(object.get('Subtype')) === 'Type3' && !this.inheritedResources.has(number)) await this.glyphs(object, undefined)
    // PDF readers redraw these annotations when a user types text.
    const isTyped = /^(Widget|FreeText)$/.test(nameOf(object.get('Subtype')))
    if (object.has('AP')) await this.appearances(await this.reader.dict(object.get('AP')), isTyped)
    if (nameOf(object.get('Type')) === 'Font') await this.fonts.font(new Ref(number, 0))
  }

  /** Scans a Type 3 font without resources, which uses those of its caller (ISO 32000-2, 9.6.4, table 110). */
  private async scanInheritingType3(value: PdfObject, resources: Dict): Promise<void> {
    if (!(value instanceof Ref)) return
    const font = await this.reader.get(value.number)
    if (!(font instanceof Dict) || nameOf(font.get('Subtype')) !== 'Type3' || font.has('Resources')) return
    if (this.inheritedResources.get(value.number) === resources || this.inheritedResources.size >= SCAN_LIMITS.cachedForms) return
    this.inheritedResources.set(value.number, resources)
    await this.glyphs(font, resources)
  }

  /** Scans the glyph descriptions of a Type 3 font, which are content streams (ISO 32000-2, 9.6.4). */
  private async glyphs(font: Dict, inherited: Dict | undefined): Promise<void> {
    const resources = (await this.reader.dict(font.get('Resources'))) ?? inherited
    await this.unfollowed.add(await this.reader.dict(font.get('Resources')))
    for (const value of (await this.reader.dict(font.get('CharProcs')))?.values() ?? []) {
      const stream = await this.reader.resolve(value)
      if (!(stream instanceof Stream)) continue
      try {
        await this.scan(await this.decoded(stream), resources)
      } catch (error) {
        this.markUnreadable(error, 'unreadable glyph')
      }
    }
  }

  /**
   * Scans annotation appearances (ISO 32000-2, 12.5.5). Each entry is a form, or a dictionary of forms by state; their /Subtype is often
   * missing.
   */
  private async appearances(dict: Dict | undefined, isTyped: boolean, depth = 0): Promise<void> {
    for (const value of dict?.values() ?? []) {
      const object = await this.reader.resolve(value)
      if (object instanceof Stream && value instanceof Ref) {
        const form = await this.form(this.duplicates.originalOf(value.number), object)
        if (isTyped) await this.fonts.keepAllGlyphs(form?.resources)
        await this.unfollowed.add(form?.resources)
      } else if (object instanceof Dict && depth === 0) await this.appearances(object, isTyped, 1)
    }
  }

  /** Scans a page outside of the page tree. Scripts create pages from such templates (ISO 32000-2, 12.7.6). */
  private async template(page: Dict): Promise<void> {
    const resources = await this.reader.dict(await this.inherited(page, 'Resources'))
    await this.unfollowed.add(resources)
    try {
      await this.scan(await this.contents(page.get('Contents')), resources)
    } catch (error) {
      this.markUnreadable(error, 'unreadable template')
    }
  }
}

const isSame = (one: PicturePlacement, other: PicturePlacement) =>
  one.page === other.page && one.size.width === other.size.width && one.size.height === other.size.height
