/**
 * Determines the displayed size of a document's pictures: DrawingML extents in EMU (ECMA-376 part 1, 20.1.7.3), scaled by groups (20.1.7.5)
 * and enlarged by crops (20.1.8.55), and VML shapes in points. Everything ambiguous (tiles, text fills, bullets, inherited placeholders, …)
 * is reported as unknown.
 */
import { scanTags, type Tag, type TagReader } from '../../containers/xml/scan.ts'
import { MAX_DEPTH } from './tuning.ts'

const EMU_PER_INCH = 914_400

/** Size in inches of the whole, uncropped picture on paper or screen. */
export interface DisplayedSize {
  readonly widthInches: number
  readonly heightInches: number
}

export type DisplayedSizes = Map<string, DisplayedSize | 'unknown'>

export interface Size {
  readonly width: number
  readonly height: number
}

/** Element that may contain a picture: a picture element, a shape with a fill, a background, a VML shape, a group, text. */
interface Frame {
  readonly depth: number
  readonly kind: 'picture' | 'background' | 'vml' | 'group' | 'text' | 'other'
  ids: string[]
  extent?: Size
  childExtent?: Size
  /** Shares of the picture's width and height that are shown. */
  crop?: Size
  unclear: boolean
}

const PICTURES = new Set(['pic', 'sp', 'wsp', 'cxnSp'])
const GROUPS = new Set(['grpSp', 'wgp', 'lockedCanvas', 'wpc'])
const TEXTS = new Set(['txBody', 'txbxContent', 'txbx', 'rPr', 'tcPr', 'tblPr', 'buBlip', 'textbox'])
const VML = new Set(['shape', 'rect', 'roundrect', 'oval'])

/**
 * Reads the displayed sizes of pictures in one text.
 * @param ids ids of relationships that refer to pictures
 * @param background size of a whole slide in EMU, for slide backgrounds. `undefined`: not a presentation
 * @returns the largest displayed size for every id that occurs
 * @throws EngineError if the text is not XML
 */
export function pictureUses(xml: string, ids: ReadonlySet<string>, background?: Size): DisplayedSizes {
  const reader = new PictureUses(ids, background)
  for (const tag of scanTags(xml)) reader.read(tag)
  return reader.finish()
}

/** Tag reader for the displayed sizes of pictures in one text. */
export class PictureUses implements TagReader {
  /** Ids of pictures in which a colour is replaced, mostly by transparency (a:clrChange, ECMA-376 part 1, 20.1.8.16). */
  readonly recoloured = new Set<string>()
  readonly #ids: ReadonlySet<string>
  readonly #stack: FrameStack
  /** Relationship ids on the last opened a:blip. */
  #blip: string[] = []

  /** The parameters are those of `pictureUses`. */
  constructor(ids: ReadonlySet<string>, background?: Size) {
    this.#ids = ids
    this.#stack = new FrameStack(background)
  }

  read(tag: Tag): void {
    if (tag.local === 'blip') this.#blip = tag.kind === 'open' ? tag.attributes().map(({ value }) => value) : []
    else if (tag.local === 'clrChange') for (const id of this.#blip) this.recoloured.add(id)
    if (tag.kind === 'close') {
      this.#stack.close()
      return
    }
    this.#stack.open(tag)
    for (const { local, value, name } of tag.attributes()) {
      if (this.#ids.has(value) && name.includes(':')) this.#stack.refer(tag, local, value)
    }
  }

  finish(): DisplayedSizes {
    return this.#stack.finish()
  }
}

/** Frames around the current position of the scan, and the sizes in frames that have ended. */
class FrameStack {
  readonly #background: Size | undefined
  readonly #uses: DisplayedSizes = new Map()
  readonly #frames: Frame[] = []
  #depth = 0
  /** wp:extent of the enclosing wp:inline or wp:anchor, and the depth of that element (-1: none). */
  #inline: Size | undefined
  #inlineDepth = -1
  #shapePropertiesDepth = -1

  constructor(background: Size | undefined) {
    this.#background = background
  }

  /** Handles an opening or empty element. */
  open(tag: Tag): void {
    if (tag.kind === 'open' && ++this.#depth > MAX_DEPTH) throw new RangeError(`XML elements are nested deeper than ${MAX_DEPTH} levels`)
    const here = tag.kind === 'open' ? this.#depth : this.#depth + 1
    if (tag.kind === 'open') this.#pushFrame(tag, here)
    switch (tag.local) {
      case 'inline':
      case 'anchor':
        if (tag.kind === 'open') this.#inlineDepth = here
        break
      case 'extent':
        // wp:extent (ECMA-376 part 1, 20.4.2.7) is the size that Word uses, whatever size the shape has.
        if (this.#inlineDepth >= 0) this.#inline = sizeOf(tag, 'cx', 'cy')
        break
      case 'spPr':
      case 'grpSpPr':
        if (tag.kind === 'open') this.#shapePropertiesDepth = here
        break
      default: {
        const frame = this.#frames.at(-1)
        if (frame) updateFrame(frame, tag, this.#shapePropertiesDepth >= 0)
      }
    }
  }

  /** Handles a closing element. */
  close(): void {
    const frames = this.#frames
    while (frames.length > 0 && frames.at(-1)!.depth >= this.#depth) this.#closeFrame(frames.pop()!)
    if (this.#depth <= this.#shapePropertiesDepth) this.#shapePropertiesDepth = -1
    if (this.#depth <= this.#inlineDepth) {
      this.#inline = undefined
      this.#inlineDepth = -1
    }
    this.#depth--
  }

  /** Handles an attribute of `tag` that refers to a picture. */
  refer(tag: Tag, attribute: string, id: string): void {
    const frame = this.#frames.at(-1)
    const drawn =
      (tag.local === 'blip' || tag.local === 'svgBlip') &&
      attribute === 'embed' &&
      (frame?.kind === 'picture' || frame?.kind === 'background')
    const vml = tag.local === 'imagedata' && frame?.kind === 'vml' && !tag.attributes().some((each) => each.local.startsWith('crop'))
    if (frame && (drawn || vml)) frame.ids.push(id)
    else this.#report(id, 'unknown')
  }

  /** Returns the displayed sizes. Frames without an end tag count as unknown. */
  finish(): DisplayedSizes {
    for (const frame of this.#frames.reverse()) for (const id of frame.ids) this.#report(id, 'unknown')
    return this.#uses
  }

  #pushFrame(tag: Tag, depth: number): void {
    const kind = frameKind(tag)
    if (!kind) return
    const frame: Frame = { depth, kind, ids: [], unclear: false }
    if (kind === 'background' && this.#background) frame.extent = this.#background
    if (kind === 'vml') {
      const size = vmlSize(tag.get('style') ?? '')
      if (size && !this.#frames.some((outer) => outer.kind === 'vml' || outer.kind === 'group')) frame.extent = size
      else frame.unclear = true
    }
    this.#frames.push(frame)
  }

  #closeFrame(frame: Frame): void {
    if (frame.ids.length === 0) return
    const shown = this.#shownIn(frame)
    for (const id of frame.ids) this.#report(id, shown)
  }

  #shownIn(frame: Frame): DisplayedSize | 'unknown' {
    const scale = this.#groupScale()
    const grouped = this.#frames.some(({ kind }) => kind === 'group')
    const inline = grouped ? undefined : this.#inline
    const extent = frame.extent ?? (frame.kind === 'picture' ? inline : undefined)
    if (frame.unclear || !scale || !extent || !(extent.width > 0 && extent.height > 0)) return 'unknown'
    const width = Math.max(extent.width * scale.width, inline?.width ?? 0)
    const height = Math.max(extent.height * scale.height, inline?.height ?? 0)
    const crop = frame.crop ?? { width: 1, height: 1 }
    if (!(crop.width > 0.01 && crop.height > 0.01)) return 'unknown'
    return { widthInches: width / EMU_PER_INCH / crop.width, heightInches: height / EMU_PER_INCH / crop.height }
  }

  #groupScale(): Size | undefined {
    let [width, height] = [1, 1]
    for (const frame of this.#frames) {
      if (frame.kind !== 'group') continue
      if (frame.unclear) return undefined
      // A group without extents does not scale its children.
      if (!frame.extent || !frame.childExtent) continue
      width *= frame.extent.width / frame.childExtent.width
      height *= frame.extent.height / frame.childExtent.height
    }
    return { width, height }
  }

  #report(id: string, shown: DisplayedSize | 'unknown'): void {
    const before = this.#uses.get(id)
    if (before === 'unknown') return
    if (shown === 'unknown' || !before) this.#uses.set(id, shown)
    else {
      this.#uses.set(id, {
        widthInches: Math.max(before.widthInches, shown.widthInches),
        heightInches: Math.max(before.heightInches, shown.heightInches),
      })
    }
  }
}

/** Updates a frame from an element inside it. */
function updateFrame(frame: Frame, tag: Tag, inShapeProperties: boolean): void {
  switch (tag.local) {
    case 'ext':
      if (inShapeProperties && tag.get('cx') !== undefined && (frame.kind === 'picture' || frame.kind === 'group')) {
        const size = sizeOf(tag, 'cx', 'cy')
        if (size) frame.extent ??= size
      }
      break
    case 'chExt': {
      if (frame.kind !== 'group') break
      const size = sizeOf(tag, 'cx', 'cy')
      if (size && size.width > 0 && size.height > 0) frame.childExtent = size
      else frame.unclear = true
      break
    }
    case 'srcRect':
    case 'fillRect':
      applyCrop(frame, tag)
      break
    case 'tile':
      frame.unclear = true
      break
  }
}

/** Reads p:sldSz of a presentation (ECMA-376 part 1, 19.2.1.39), in EMU. */
export class SlideSize implements TagReader {
  size: Size | undefined
  done = false

  read(tag: Tag): void {
    if (tag.local !== 'sldSz') return
    const [width, height] = [Number(tag.get('cx')), Number(tag.get('cy'))]
    if (width > 0 && height > 0) this.size = { width, height }
    this.done = true
  }
}

function frameKind(tag: Tag): Frame['kind'] | undefined {
  if (PICTURES.has(tag.local)) return 'picture'
  if (GROUPS.has(tag.local)) return 'group'
  if (TEXTS.has(tag.local)) return 'text'
  if (tag.local === 'bgPr') return 'background'
  if (tag.name.startsWith('v:')) return VML.has(tag.local) ? 'vml' : tag.local === 'group' ? 'group' : undefined
  return undefined
}

/** Applies a:srcRect: thousandths of a percent cut off each side. Negative values add padding. */
function applyCrop(frame: Frame, tag: Tag): void {
  const side = (name: string) => Number(tag.get(name) ?? 0) / 100_000
  const width = 1 - side('l') - side('r')
  const height = 1 - side('t') - side('b')
  if (!Number.isFinite(width) || !Number.isFinite(height)) frame.unclear = true
  else if (tag.local === 'srcRect') frame.crop = { width, height }
  // A fill that extends beyond its shape is drawn larger than the shape.
  else if (width < 1 || height < 1) frame.unclear ||= width <= 0 || height <= 0
  else frame.crop = { width: (frame.crop?.width ?? 1) / width, height: (frame.crop?.height ?? 1) / height }
}

function sizeOf(tag: Tag, widthName: string, heightName: string): Size | undefined {
  const [width, height] = [Number(tag.get(widthName)), Number(tag.get(heightName))]
  return Number.isFinite(width) && Number.isFinite(height) && width >= 0 && height >= 0 ? { width, height } : undefined
}

const UNIT_EMU: Record<string, number> = { pt: 12_700, in: EMU_PER_INCH, cm: 360_000, mm: 36_000, px: 9525, pc: 152_400 }

function vmlSize(style: string): Size | undefined {
  const length = (property: string): number | undefined => {
    const found = new RegExp(`(?:^|;)\\s*${property}\\s*:\\s*([\\d.]+)(pt|in|cm|mm|px|pc)\\s*(?:;|$)`).exec(style)
    return found ? Number(found[1]) * UNIT_EMU[found[2]!]! : undefined
  }
  const [width, height] = [length('width'), length('height')]
  return width && height ? { width, height } : undefined
}
