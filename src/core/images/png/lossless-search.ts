/** Searches for the smallest lossless PNG form of a picture by trial: bits a sample, palette order, filters and Deflate effort. */

import type { ColourFacts, Effort, PngEngine } from '../../../../wasm/png/engine.ts'
import { minOf } from '../../bytes/min-max.ts'
import { DEFAULT_EFFORT, type Effort as SearchEffort } from '../../catalog/effort.ts'
import type { PngPicture } from './png-picture.ts'
import { beforeRedeflate, isWorthRedeflating } from './redeflate.ts'
import {
  ALL_BUT_EXHAUSTIVE,
  ALWAYS_THOROUGH_BYTES,
  FAST_EFFORT,
  FILTER_NONE,
  FLAT_EFFORT,
  FLAT_PREVIEWS,
  FLATNESS,
  FLATNESS_SHARE,
  HUGE_EFFORT,
  LOSSLESS_EFFORTS,
  MEBIBYTE,
  MOST_BYTES_OF_BEST,
  PREVIEW_EXCESS,
  PREVIEWS,
  SMALL_PREVIEWS,
  TINY_BYTES,
} from './tuning.ts'

/** PNG form and Deflate effort of an `encode` pass. */
export interface LosslessPlan {
  /** Sets the layout of the PNG engine to the form of this plan. */
  apply(engine: PngEngine): void
  readonly effort: Effort
  readonly name: string
}

export interface LosslessSearch {
  readonly facts: ColourFacts
  readonly plan: LosslessPlan
  /** Size of the image data in bytes. `undefined`: the plan was chosen without a full trial. */
  readonly bytes: number | undefined
}

export interface LosslessSearchOptions {
  readonly effort?: SearchEffort
  /** True if the result is deflated again where that pays (`redeflated`). Default: false. */
  readonly isRedeflated?: boolean
}

/** Efforts of the final encodings, by size in bytes of the packed rows and effort of the search. The smallest result is used. */
function effortsFor(bytes: number, search: SearchEffort): readonly Effort[] {
  const at = LOSSLESS_EFFORTS.findIndex(({ mostBytes }) => bytes <= mostBytes)
  const usual = LOSSLESS_EFFORTS[at]?.efforts ?? [HUGE_EFFORT]
  if (search === 'fast' && bytes > ALWAYS_THOROUGH_BYTES) return usual.map(quicker)
  // `best` also tries the efforts of smaller pictures.
  const slower = LOSSLESS_EFFORTS[(at < 0 ? LOSSLESS_EFFORTS.length : at) - 1]?.efforts ?? []
  return search === 'best' && bytes <= MOST_BYTES_OF_BEST ? [...usual, ...slower] : usual
}

const quicker = (effort: Effort): Effort => ({ ...effort, ...FAST_EFFORT, strategies: effort.strategies & ALL_BUT_EXHAUSTIVE })

const packedBytes = (picture: PngPicture, bits: number) => (picture.header.width * picture.header.height * bits) / 8

/** Runs an encode pass without output and returns the size in bytes. */
async function tryPlan(engine: PngEngine, picture: PngPicture, plan: LosslessPlan): Promise<number> {
  plan.apply(engine)
  engine.setEffort(plan.effort)
  engine.begin('encode', { mute: true })
  await picture.visit(engine)
  return engine.encodedBytes() + overhead(engine)
}

/** Size of the PLTE and tRNS chunks in bytes. */
function overhead(engine: PngEngine): number {
  const { palette, paletteAlpha, key } = engine.layout()
  return (palette ? palette.length + 12 : 0) + (paletteAlpha ? paletteAlpha.length + 12 : 0) + (key ? 18 : 0)
}

type Form = Pick<LosslessPlan, 'apply' | 'name'> & { bits: number }

/**
 * True for grey pictures below 8 bits with a transparent grey. Readers disagree whether that grey is transparent, so such pictures keep
 * their form.
 */
export const hasLowDepthGreyKey = ({ header }: PngPicture, facts: ColourFacts): boolean =>
  header.colourType === 0 && header.bitDepth < 8 && !facts.opaque

/** Lossless forms of the picture, the most promising first. */
function formsOf(engine: PngEngine, picture: PngPicture): Form[] {
  const { header, profiled } = picture
  const allowGray = !profiled
  const gray = header.colourType === 0 || header.colourType === 4
  const form = (name: string, apply: Form['apply'], bits: number): Form => ({ name, apply, bits })
  const direct = form('direct', (e) => void e.planDirect(allowGray), engine.planDirect(allowGray))
  const verbatim = form('as it was', (e) => void e.planUnchanged(), engine.planUnchanged())
  // Animation frames are blended. Common readers blend them wrongly if a palette or missing alpha replaces RGBA.
  if (picture.animated || picture.keepsForm || hasLowDepthGreyKey(picture, engine.facts())) return [verbatim]
  let forms = [direct]
  const paletteBits = profiled && gray ? 0 : engine.planPalette(0)
  if (paletteBits) {
    const orders = [
      ['by luma', 0],
      ['by neighbours', 3],
      ['by use', 1],
      ['as met', 2],
    ] as const
    const palettes = orders.map(([name, order]) => form(`palette ${name}`, (e) => void e.planPalette(order), paletteBits))
    // With one byte an index, Deflate finds repetitions at every position.
    if (paletteBits < 8) palettes.push(form('palette of bytes', (e) => void e.planPalette(1, true), 8))
    // Opaque grey samples are never larger than a palette of the same bit depth.
    if (paletteBits < direct.bits || !(engine.facts().gray && engine.facts().opaque)) forms = [...palettes, ...forms]
  }
  if (header.colourType === 3) forms.push(verbatim)
  return forms
}

/**
 * First pass over the picture: collects its colour statistics. With `colours`, also the histogram that palettes need (`collectColours`).
 */
export async function analyse(engine: PngEngine, picture: PngPicture, colours = false): Promise<ColourFacts> {
  engine.begin(colours ? 'survey' : 'analyse')
  await picture.visit(engine)
  return engine.facts()
}

/** Chooses the form and effort of the smallest lossless encoding. Requires `analyse`. */
export async function searchLossless(engine: PngEngine, picture: PngPicture, options: LosslessSearchOptions): Promise<LosslessSearch> {
  const facts = engine.facts()
  const forms = formsOf(engine, picture)
  const bytes = packedBytes(picture, minOf(forms.map(({ bits }) => bits)))
  let plans = forms.flatMap((form) => plansOf(picture, form, options))
  if (bytes > 16 * MEBIBYTE)
    plans = plans.slice(0, 1) // try one form only, because previews would take too long
  else if (bytes > TINY_BYTES) plans = await rankedPlans({ engine, picture, options }, forms, bytes)
  const [only] = plans
  if (plans.length === 1 && only) return { facts, plan: only, bytes: undefined }
  let best: { plan: LosslessPlan; bytes: number } | undefined
  for (const plan of plans) {
    const size = await tryPlan(engine, picture, plan)
    if (!best || size < best.bytes) best = { plan, bytes: size }
  }
  if (!best) throw new RangeError('no lossless form of the picture was found')
  return { facts, ...best }
}

/** True if quick encodings show that no lossless form can be smaller than `bytes`. Requires `analyse`. */
export async function cannotBeatSize(engine: PngEngine, picture: PngPicture, bytes: number): Promise<boolean> {
  const forms = formsOf(engine, picture)
  let least = Number.POSITIVE_INFINITY
  for (const form of forms.slice(0, 2)) {
    for (const effort of PREVIEWS) least = Math.min(least, await tryPlan(engine, picture, { ...form, effort }))
    if (least > bytes * PREVIEW_EXCESS.anyForm) return true
  }
  return forms.length <= 2 && least > bytes * PREVIEW_EXCESS.sameForm
}

/**
 * The same for small pictures, whose forms differ by more, so that each preview must be far larger. False for a few kilobytes of rows, whose
 * search is quick.
 */
export async function cannotBeatSmallSize(engine: PngEngine, picture: PngPicture, bytes: number): Promise<boolean> {
  const forms = formsOf(engine, picture)
  if (packedBytes(picture, minOf(forms.map(({ bits }) => bits))) <= TINY_BYTES) return false
  for (const form of forms.slice(0, 2))
    for (const effort of PREVIEWS)
      if ((await tryPlan(engine, picture, { ...form, effort })) <= bytes * PREVIEW_EXCESS.smallPicture) return false
  return true
}

/** Combines a PNG form with each Deflate effort that its size allows. */
const plansOf = (picture: PngPicture, form: Form, options: LosslessSearchOptions): LosslessPlan[] =>
  finalEfforts(picture, form, options, Number.POSITIVE_INFINITY).map((effort) => ({ ...form, effort }))

/** Final efforts of a form. @param size size in bytes of a quick encoding */
function finalEfforts(picture: PngPicture, form: Form, { effort = DEFAULT_EFFORT, isRedeflated }: LosslessSearchOptions, size: number) {
  const efforts = effortsFor(packedBytes(picture, form.bits), effort)
  const { width, height } = picture.header
  return isRedeflated && isWorthRedeflating(height * (1 + Math.ceil((width * form.bits) / 8)), size, effort)
    ? efforts.map(beforeRedeflate)
    : efforts
}

/** Ranks forms by quick encodings and returns plans of the best ones at full effort. Filters are left out if they did not pay. */
async function rankedPlans(
  { engine, picture, options }: { readonly engine: PngEngine; readonly picture: PngPicture; readonly options: LosslessSearchOptions },
  forms: readonly Form[],
  bytes: number,
): Promise<LosslessPlan[]> {
  const small = bytes <= MEBIBYTE / 4
  const ranked: { form: Form; filtered: boolean; flat: boolean; size: number }[] = []
  for (const form of forms) {
    const hasLargeAreas =
      !small &&
      form.bits >= 24 &&
      (await tryPlan(engine, picture, { ...form, effort: FLATNESS })) < packedBytes(picture, form.bits) * FLATNESS_SHARE
    const efforts = small ? SMALL_PREVIEWS : hasLargeAreas ? FLAT_PREVIEWS : form.bits >= 24 ? PREVIEWS.slice(0, 1) : PREVIEWS
    for (const effort of efforts) {
      const size = await tryPlan(engine, picture, { ...form, effort })
      ranked.push({ form, filtered: effort.strategies !== FILTER_NONE, flat: hasLargeAreas, size })
    }
  }
  ranked.sort((a, b) => a.size - b.size)
  const keep = small || bytes > MEBIBYTE ? 1 : 2
  return ranked.slice(0, keep).flatMap(({ form, filtered, flat, size }) => {
    const efforts = finalEfforts(picture, form, options, size).filter(({ strategies }) => strategies !== FILTER_NONE)
    const [hardest] = efforts
    const used = filtered || !hardest ? efforts : [{ ...hardest, strategies: FILTER_NONE, ...(flat ? FLAT_EFFORT : {}) }]
    return used.map((effort) => ({ ...form, effort }))
  })
}

/** Size of the image data in bytes of a lossless plan, measured by an encode pass without output. */
export async function losslessBytes(engine: PngEngine, picture: PngPicture, search: LosslessSearch): Promise<number> {
  return search.bytes ?? (await tryPlan(engine, picture, search.plan))
}
