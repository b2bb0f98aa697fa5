/** Texts that describe the levels, generated from their figures (`levels.ts`), for `GET /v1/formats` and the documentation. */
import {
  LARGE_FRAME_CRF,
  LEVELS,
  type LumaTarget,
  MAX_LOSSY_SIZE_RATIO,
  MIN_SOUND_BITRATE_RATIO,
  type Quality,
  WAV_FLOORS_DB,
} from './levels.ts'

const twoDecimals = (ssim: number) => ssim.toFixed(2)

/** Returns for example `SSIM 0.96 and 35 dB`. */
const describeLuma = ({ ssim, psnrDb }: LumaTarget) => `SSIM ${twoDecimals(ssim)} and ${psnrDb} dB`

/** Returns for example `SSIMULACRA 2 72 (worst tile 52), at least SSIM 0.93 and 31.3 dB`. */
export function describePictureTarget(quality: Quality): string {
  const { score, worstTile, floor } = LEVELS.perceptual[quality]
  return `SSIMULACRA 2 ${score} (worst tile ${worstTile}), at least ${describeLuma(floor)}`
}

/** Returns for example `SSIM 0.96, 35 dB`. */
const describeLumaBriefly = ({ ssim, psnrDb }: LumaTarget) => `SSIM ${twoDecimals(ssim)}, ${psnrDb} dB`

/** Returns for example `a palette that keeps hues and soft gradients (SSIM 0.92, 33 dB, SSIMULACRA 2 72, worst tile 52)`. */
export function describePaletteTarget(quality: Exclude<Quality, 'high'>): string {
  const { scored, score, worstTile } = LEVELS.palette[quality]
  return `a palette that keeps hues and soft gradients (${describeLumaBriefly(scored)}, SSIMULACRA 2 ${score}, worst tile ${worstTile})`
}

/** Returns for example `every frame SSIM 0.96 and 35 dB, SSIMULACRA 2 72, worst tile 52`. */
export function describeAnimationTarget(quality: Exclude<Quality, 'high'>): string {
  const target = LEVELS.palette[quality]
  return `every frame ${describeLuma(target)}, SSIMULACRA 2 ${target.score}, worst tile ${target.worstTile}`
}

/** Returns for example `H.264 at crf 25 (27.5 above 720p; SSIM 0.957, 35 dB)`. */
export function describeFilmTarget(quality: Quality, remark = ''): string {
  const { crf, ssim, psnrDb } = LEVELS.frame[quality]
  return `H.264 at crf ${crf} (${crf + LARGE_FRAME_CRF} above 720p; SSIM ${ssim}, ${psnrDb} dB${remark})`
}

/** Returns for example `AAC at 72 kbit/s per channel`. */
export const describeAac = (quality: Quality) => `AAC at ${LEVELS.filmSound[quality].aacPerChannel / 1000} kbit/s per channel`

/** Returns for example `Opus at 64 kbit/s per channel`. */
export const describeOpus = (quality: Quality) => `Opus at ${LEVELS.opus[quality] / 1000} kbit/s per channel`

/** Returns for example `for inputs with at least 1.6 times this bit rate`. */
export const describeOversizedOpus = () => `for inputs with at least ${MIN_SOUND_BITRATE_RATIO} times this bit rate`

/** Returns for example `output M4A: AAC at 72 kbit/s per channel; output MP3: MP3 -V3`. */
export const describeConvertedSound = (quality: Quality) => `output M4A: ${describeAac(quality)}; output MP3: ${describeWavMp3(quality)}`

/** Returns for example `AAC with at least 1.6 times this bit rate`. */
export const describeOversizedAac = () => `AAC with at least ${MIN_SOUND_BITRATE_RATIO} times this bit rate`

/** Returns for example `MP3 -V4`, the LAME setting for the sound of AVI films. */
export const describeFilmMp3 = (quality: Quality) => `MP3 -V${LEVELS.filmSound[quality].mp3}`

/** Returns for example `MP3 -V3`, the LAME setting for WAV files. */
export const describeWavMp3 = (quality: Quality) => `MP3 -V${LEVELS.wavAsMp3[quality]}`

/** Returns the floors of AIFF, which has no ADPCM. */
export const describeAiffFloors = () => `at least ${WAV_FLOORS_DB.law} (G.711) or ${WAV_FLOORS_DB.dithered16} dB (16-bit PCM)`

/** Returns for example `at least 20 (ADPCM), 26 (G.711) or 40 dB (16-bit PCM)`. */
export const describeWavFloors = () =>
  `at least ${WAV_FLOORS_DB.ima} (ADPCM), ${WAV_FLOORS_DB.law} (G.711) or ${WAV_FLOORS_DB.dithered16} dB (16-bit PCM)`

/** Returns for example `LAME -V6 to -V8`, the settings for MP3 files. */
export function describeMp3Settings(quality: Quality): string {
  const [first, ...others] = LEVELS.mp3[quality]
  const last = others.at(-1)
  return `LAME -V${first?.vbr}${last ? ` to -V${last.vbr}` : ''}`
}

/** Returns for example `184 kbit/s`, the lowest bit rate of a stereo MP3 that is encoded again. */
export const describeLowestStereoBitrate = (quality: Quality) => `${2 * (LEVELS.mp3[quality].at(-1)?.fromKbpsPerChannel ?? 0)} kbit/s`

/** Returns for example `at least 7 %`, the least saving of a lossy MP3 compared with the lossless result. */
export const describeLeastSaving = () => `at least ${Math.round((1 - MAX_LOSSY_SIZE_RATIO) * 100)} %`

/** Returns for example `200 dpi`, the resolution of pictures on a page. */
export const describeResolution = (quality: Quality) => `${LEVELS.shownDotsPerInch[quality]} dpi`
