/** What a level means, in words, made from its figures (levels.ts): for `GET /v1/formats` and the docs. */
import { FAT_SOUND, LARGE_FRAME_CRF, LEVELS, type LumaTarget, MP3_SHARE, type Quality, WAV_FLOORS_DB } from './levels.ts'

const twoDecimals = (ssim: number) => ssim.toFixed(2)

/** `SSIM 0.96 and 35 dB` */
export const luma = ({ ssim, psnrDb }: LumaTarget) => `SSIM ${twoDecimals(ssim)} and ${psnrDb} dB`

/** `what eyes see (SSIMULACRA2 72, its worst tile 52), above SSIM 0.93 and 31.3 dB` */
export function photograph(quality: Quality): string {
  const { score, worstTile, floor } = LEVELS.perceptual[quality]
  return `what eyes see (SSIMULACRA2 ${score}, its worst tile ${worstTile}), above ${luma(floor)}`
}

/** `SSIM 0.96, 35 dB` */
export const lumaInList = ({ ssim, psnrDb }: LumaTarget) => `SSIM ${twoDecimals(ssim)}, ${psnrDb} dB`

/** `a palette that keeps hues and soft gradients (SSIM 0.92, 33 dB, SSIMULACRA2 72, its worst tile 52)` */
export function palette(quality: Exclude<Quality, 'high'>): string {
  const { scored, score, worstTile } = LEVELS.palette[quality]
  return `a palette that keeps hues and soft gradients (${lumaInList(scored)}, SSIMULACRA2 ${score}, its worst tile ${worstTile})`
}

/** `every frame SSIM 0.96 and 35 dB, SSIMULACRA2 72, its worst tile 52` */
export function everyFrame(quality: Exclude<Quality, 'high'>): string {
  const target = LEVELS.palette[quality]
  return `every frame ${luma(target)}, SSIMULACRA2 ${target.score}, its worst tile ${target.worstTile}`
}

/** `H.264 at crf 25 (27.5 above 720p; SSIM 0.957, 35 dB)` */
export function frames(quality: Quality, remark = ''): string {
  const { crf, ssim, psnrDb } = LEVELS.frame[quality]
  return `H.264 at crf ${crf} (${crf + LARGE_FRAME_CRF} above 720p; SSIM ${ssim}, ${psnrDb} dB${remark})`
}

/** `AAC at 72 kbit/s a channel` */
export const aac = (quality: Quality) => `AAC at ${LEVELS.filmSound[quality].aacPerChannel / 1000} kbit/s a channel`

/** `AAC that takes 1.6 times as much` */
export const fatAac = () => `AAC that takes ${FAT_SOUND} times as much`

/** `MP3 -V4` */
export const filmMp3 = (quality: Quality) => `MP3 -V${LEVELS.filmSound[quality].mp3}`

/** `MP3 -V3` */
export const wavMp3 = (quality: Quality) => `MP3 -V${LEVELS.wavAsMp3[quality]}`

/** `at least 20 (ADPCM), 26 or 40 dB` */
export const wavFloors = () => `at least ${WAV_FLOORS_DB.ima} (ADPCM), ${WAV_FLOORS_DB.law} or ${WAV_FLOORS_DB.dithered16} dB`

/** `LAME -V6 to -V8` */
export function lame(quality: Quality): string {
  const [first, ...others] = LEVELS.mp3[quality]
  const last = others.at(-1)
  return `LAME -V${first?.vbr}${last ? ` to -V${last.vbr}` : ''}`
}

/** `184 kbit/s`: the least stereo that is encoded again. */
export const leastStereo = (quality: Quality) => `${2 * (LEVELS.mp3[quality].at(-1)?.fromKbpsPerChannel ?? 0)} kbit/s`

/** `at least 7 %` */
export const leastSaved = () => `at least ${Math.round((1 - MP3_SHARE) * 100)} %`

/** `200 dpi` */
export const shownDpi = (quality: Quality) => `${LEVELS.shownDotsPerInch[quality]} dpi`
