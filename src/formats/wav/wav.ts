/** WAVE: exact first (fewer bits that hold the same samples), then companded or ADPCM within each level's floor. */
import {
  type Codec,
  NoGain,
  type Options,
  type Outcome,
  type Sink,
  type Source,
  UnsupportedFeature,
  type Verdict,
} from '../../codec/codec.ts'
import { type Analysis, analyse, type Target } from './analyse.ts'
import { WAV } from './format.ts'
import { type Layout, readWave, type Wave } from './header.ts'
import { verifyFlac, wavToFlac } from './to-flac.ts'
import { verifyMp3, wavToMp3 } from './to-mp3.ts'
import { verifyWave } from './verify.ts'
import { writeWave } from './write.ts'

/** Lowest signal-to-noise ratio in dB at which a level takes a lossy form. */
const FLOORS_DB = {
  low: { ima: 20, law: 26, rounded16: 40 },
  medium: { ima: 34, law: 36, rounded16: 60 },
} as const

export const wav: Codec = {
  format: WAV,

  async compress(source, sink, options): Promise<Outcome> {
    const wave = await readWave(source)
    if (wave.layout.coding === 'other') throw new UnsupportedFeature('WAVE with a codec that is not PCM, float, G.711 or ADPCM')
    if (options.output === 'mp3') return wavToMp3(source, wave, sink, options)
    if (options.output === 'flac') return wavToFlac(source, wave, sink, options)
    return toWave(source, wave, sink, options)
  },

  async verify(original, result, outcome, options): Promise<Verdict> {
    if (options.output === 'mp3') return verifyMp3(original, result, options)
    if (options.output === 'flac') return verifyFlac(original, result, outcome, options)
    return verifyWave(original, result, outcome, options)
  },
}

async function toWave(source: Source, wave: Wave, sink: Sink, options: Options): Promise<Outcome> {
  const { coding } = wave.layout
  // Players make something else of a file without samples, each in its way.
  if (wave.frames === 0) throw new NoGain()
  const lossy =
    !options.lossless && (options.quality === 'low' || options.quality === 'medium') && (coding === 'integer' || coding === 'float')
  const found: Analysis =
    coding === 'integer' || coding === 'float'
      ? await analyse(source, wave, lossy, options)
      : { exact: undefined, snrDb: { rounded16: 0, alaw: 0, mulaw: 0, ima: 0 } }
  const chosen = lossy ? choose(wave.layout, found, options.quality === 'low' ? 'low' : 'medium') : undefined
  if (chosen) {
    const snrDb = await writeWave(source, wave, chosen, sink, options)
    return { kind: 'compressed', fidelity: 'perceptual', snrDb, steps: [`${describe(wave.layout)} → ${describe(chosen)}`] }
  }
  const { exact } = found
  await writeWave(source, wave, exact, sink, options)
  const steps = exact ? [`${describe(wave.layout)} → ${describe(exact)}, samples equal`] : []
  return { kind: 'compressed', fidelity: 'lossless', steps: [...steps, 'padding dropped'] }
}

/** The smallest lossy form above the level's floors that beats the exact one. */
function choose(layout: Layout, found: Analysis, level: 'low' | 'medium'): Target | undefined {
  const floors = FLOORS_DB[level]
  const best = found.exact?.bits ?? layout.bits
  const { snrDb } = found
  if (best > 4 && snrDb.ima >= floors.ima) return { coding: 'ima', bits: 4 }
  const law = snrDb.alaw >= snrDb.mulaw ? 'alaw' : 'mulaw'
  if (best > 8 && snrDb[law] >= floors.law) return { coding: law, bits: 8 }
  if (best > 16 && snrDb.rounded16 >= floors.rounded16) return { coding: 'integer', bits: 16 }
  return undefined
}

const NAMES = {
  integer: 'PCM',
  float: 'float',
  alaw: 'A-law',
  mulaw: 'µ-law',
  ima: 'IMA ADPCM',
  ms: 'Microsoft ADPCM',
  other: '?',
} as const
const describe = ({ coding, bits }: Pick<Layout, 'coding' | 'bits'>) => `${bits}-bit ${NAMES[coding]}`
