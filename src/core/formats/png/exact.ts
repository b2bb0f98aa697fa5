/** Lossless form of a picture as a candidate or a file. */

import type { PngEngine } from '../../../../wasm/png/engine.ts'
import { message } from '../../i18n/message.ts'
import { type LosslessSearch, losslessBytes, searchLossless } from '../../images/png/lossless-search.ts'
import type { Options, Outcome, Sink } from '../../model/codec.ts'
import { type Candidate, candidateInMemory, MemorySink, mayRedeflate, rowBytesToRedeflate } from './candidate.ts'
import { ancillaryBytes } from './chunks.ts'
import type { PngFile } from './file.ts'
import { droppedChunkSteps, lossWithout } from './lost-chunks.ts'
import { writePng } from './write.ts'

/** Chooses the lossless form of a file for `exactCandidate` and `writeExact`. Requires `analyse`. */
export const searchExact = (file: PngFile, engine: PngEngine, options: Options): Promise<LosslessSearch> =>
  searchLossless(engine, file, { ...options, isRedeflated: mayRedeflate(file, engine.inOrder, options) })

/** Lossless candidate. Small pictures are encoded at once, because estimates are a few bytes off. */
export async function exactCandidate(file: PngFile, engine: PngEngine, lossless: LosslessSearch, options: Options): Promise<Candidate> {
  lossless.plan.apply(engine)
  const rowBytes = rowBytesToRedeflate(file, engine.layout(), engine.inOrder, options)
  const write = (sink: Sink) => encodeExact(file, engine, lossless, sink, options)
  if (rowBytes === undefined) return { bytes: (await losslessBytes(engine, file, lossless)) + ancillaryBytes(file), isExact: true, write }
  const memory = new MemorySink()
  const outcome = await write(memory)
  return candidateInMemory({ pieces: memory.pieces, outcome, isExact: true, rowBytes }, options)
}

/** Writes the smallest lossless form, with its image data deflated again if that pays. */
export async function writeExact(
  file: PngFile,
  engine: PngEngine,
  lossless: LosslessSearch,
  sink: Sink,
  options: Options,
): Promise<Outcome> {
  lossless.plan.apply(engine)
  if (rowBytesToRedeflate(file, engine.layout(), engine.inOrder, options) === undefined)
    return await encodeExact(file, engine, lossless, sink, options)
  const candidate = await exactCandidate(file, engine, lossless, options)
  return await ((await candidate.redeflated?.()) ?? candidate).write(sink)
}

const COLOUR_TYPES = { 0: 'grey', 2: 'rgb', 3: 'palette', 4: 'grey_and_alpha', 6: 'rgb_and_alpha' } as const

async function encodeExact(file: PngFile, engine: PngEngine, { plan }: LosslessSearch, sink: Sink, options: Options): Promise<Outcome> {
  plan.apply(engine)
  engine.setEffort(plan.effort)
  const { header } = file
  const layout = engine.layout()
  const dropped = await writePng(file, engine, { kind: 'encode', alpha: false }, sink, options)
  const steps = [message('filters_per_band', { level: plan.effort.level })]
  if (layout.colourType !== header.colourType || layout.bitDepth !== header.bitDepth) {
    const name = (form: { colourType: 0 | 2 | 3 | 4 | 6; bitDepth: number }) =>
      message('colour_form', { type: message(COLOUR_TYPES[form.colourType]), bits: form.bitDepth })
    steps.unshift(message('exact_form', { from: name(header), to: name(layout) }))
  }
  if (header.interlaced && engine.inOrder) steps.push(message('adam7_to_plain'))
  return { kind: 'compressed', ...lossWithout(dropped), steps: [...steps, ...droppedChunkSteps(dropped)] }
}
