/** Compares font subsets with HarfBuzz. */
import * as hb from 'harfbuzzjs'
import { wasmModule } from './wasm.ts'

interface Subsetter {
  readonly memory: WebAssembly.Memory
  _initialize(): void
  malloc(bytes: number): number
  free(at: number): void
  hb_blob_create(at: number, bytes: number, mode: number, user: number, destroy: number): number
  hb_blob_destroy(blob: number): void
  hb_blob_get_length(blob: number): number
  hb_blob_get_data(blob: number, length: number): number
  hb_face_create(blob: number, index: number): number
  hb_face_destroy(face: number): void
  hb_face_reference_blob(face: number): number
  hb_set_add(set: number, value: number): void
  hb_subset_input_create_or_fail(): number
  hb_subset_input_destroy(input: number): void
  hb_subset_input_glyph_set(input: number): number
  hb_subset_input_set_flags(input: number, flags: number): void
  hb_subset_or_fail(face: number, input: number): number
}

const WRITABLE = 2
/** HarfBuzz flags HB_SUBSET_FLAGS_RETAIN_GIDS and _NOTDEF_OUTLINE, because Whittle keeps glyph numbers and glyph 0. */
const KEEP_NUMBERS = 0x2 | 0x40

let opened: Subsetter | undefined
function open(): Subsetter {
  if (opened) return opened
  opened = new WebAssembly.Instance(wasmModule('harfbuzzjs/dist/harfbuzz-subset.wasm'), {}).exports as unknown as Subsetter
  opened._initialize()
  return opened
}

/**
 * Returns the font subset to `glyphs` and their components, by HarfBuzz.
 * @throws Error if HarfBuzz cannot subset the font
 */
function harfbuzzSubset(font: Uint8Array, glyphs: Iterable<number>): Uint8Array {
  const engine = open()
  const at = engine.malloc(font.length)
  new Uint8Array(engine.memory.buffer, at, font.length).set(font)
  const blob = engine.hb_blob_create(at, font.length, WRITABLE, 0, 0)
  const face = engine.hb_face_create(blob, 0)
  const input = engine.hb_subset_input_create_or_fail()
  try {
    engine.hb_subset_input_set_flags(input, KEEP_NUMBERS)
    for (const glyph of glyphs) engine.hb_set_add(engine.hb_subset_input_glyph_set(input), glyph)
    const subset = engine.hb_subset_or_fail(face, input)
    if (subset === 0) throw new Error('HarfBuzz cannot subset this font')
    const result = engine.hb_face_reference_blob(subset)
    const bytes = new Uint8Array(engine.memory.buffer, engine.hb_blob_get_data(result, 0), engine.hb_blob_get_length(result)).slice()
    engine.hb_blob_destroy(result)
    engine.hb_face_destroy(subset)
    return bytes
  } finally {
    engine.hb_subset_input_destroy(input)
    engine.hb_face_destroy(face)
    engine.hb_blob_destroy(blob)
    engine.free(at)
  }
}

interface Glyph {
  /** Outline as an SVG path. */
  readonly outline: string
  readonly advance: number
}

/** Returns outline and advance of glyphs by number, as HarfBuzz renders them. */
function drawnGlyphs(font: Uint8Array, glyphs: Iterable<number>): Map<number, Glyph> {
  const drawn = new hb.Font(new hb.Face(new hb.Blob(new Uint8Array(font).buffer)))
  return new Map(Array.from(glyphs, (glyph) => [glyph, { outline: drawn.glyphToPath(glyph), advance: drawn.glyphHAdvance(glyph) }]))
}

/**
 * Checks that each glyph of Whittle's subset has the same outline and advance as in HarfBuzz's subset and in the whole font.
 * `renamed`: maps a glyph number of the whole font to that of Whittle's subset; default: the same number.
 */
export function expectSubsetsAgree(
  whole: Uint8Array,
  own: Uint8Array,
  glyphs: ReadonlySet<number>,
  renamed = (glyph: number) => glyph,
): void {
  const before = drawnGlyphs(whole, glyphs)
  const foreign = drawnGlyphs(harfbuzzSubset(whole, glyphs), glyphs)
  const ours = drawnGlyphs(own, Array.from(glyphs, renamed))
  for (const glyph of glyphs) {
    const [wanted, kept, found] = [before.get(glyph)!, foreign.get(glyph)!, ours.get(renamed(glyph))!]
    if (kept.outline !== wanted.outline || kept.advance !== wanted.advance) throw new Error(`HarfBuzz changes glyph ${glyph}`)
    if (found.outline !== wanted.outline) throw new Error(`glyph ${glyph} has another outline than HarfBuzz keeps`)
    if (found.advance !== wanted.advance) throw new Error(`glyph ${glyph} is ${found.advance} wide, HarfBuzz keeps ${wanted.advance}`)
  }
}
