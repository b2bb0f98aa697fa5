/**
 * Defines `low`, `medium`, `high` and `ultra`, with one table per medium. `describe.ts` generates the texts of `GET /v1/formats` from it,
 * and a test compares it with docs/users/quality.md. The quality floors of all levels are in `floors.ts`.
 */

import type { Effort } from './effort.ts'
import { CONVERTED_PICTURES, type OtherPicture, PICTURE_FACTS } from './output-table.ts'

/** Quality level. `ultra` exists for documents only. */
export type Quality = 'low' | 'medium' | 'high' | 'ultra'

type PerLevel<Row> = { readonly [level in Quality]: Row }

/** Mean SSIM (11 × 11 Gaussian window) and PSNR of luma. */
export interface LumaTarget {
  readonly ssim: number
  readonly psnrDb: number
}

/** SSIM and PSNR target of JPEG, WebP and AVIF pictures. */
export interface LossyPictureTarget extends LumaTarget {
  /** Lowest JPEG quality (scale of MozJPEG). Below it, smooth pictures show blocks although SSIM is high. */
  readonly lowestJpegQuality: number
}

/** Perceptual target, for pictures whose visible differences are measured (wasm/measure: score.h, shades.h). */
export interface PerceptualTarget {
  /** Lowest SSIMULACRA 2.1 score: 90 is indistinguishable, 70 is different but not annoying, 50 is slightly annoying. */
  readonly score: number
  /** Largest colour cast: distance of the mean colours in CIE Lab a and b in any window of 15 × 15 pixels. It prevents changed hues. */
  readonly cast: number
  /** Largest lightness error of smooth areas in any window of 15 × 15 pixels, in CIE Lab. It prevents visible steps in gradients. */
  readonly steps: number
}

/** Target of an SVG drawing rendered `DRAWN_WIDTH` pixels wide. docs/decisions/svg.md explains the figures. */
export interface DrawingTarget extends LumaTarget, Pick<PerceptualTarget, 'score' | 'cast'>, TileTarget {
  /** Target of the same drawing rendered `MAGNIFIED_WIDTH` pixels wide. */
  readonly magnified: Pick<PerceptualTarget, 'score'> & TileTarget
}

interface TileTarget {
  /** Lowest score of any tile of 64 × 64 pixels. It detects a local defect in a picture whose total score is good. */
  readonly worstTile: number
}

/** Perceptual target of JPEG, WebP and AVIF, which are tuned by score instead of SSIM and PSNR. */
export interface PicturePerceptualTarget extends PerceptualTarget, TileTarget {
  /** Luma figures that every result must also reach; they are above the quality floors. */
  readonly floor: LumaTarget
  /** Encoder quality of the first search probe, on each encoder's own scale. Half of all photographs end within ten of it. */
  readonly usualQuality: { readonly [coder in 'jpeg' | OtherPicture]: number }
  /** True for a score that the caller asked for, so that the smallest result is worth further probes. `undefined`: the score of a level. */
  readonly isWantedScore?: true
  /** How long the search for this target may take. Default: `balanced`. */
  readonly effort?: Effort
}

export interface RasterTarget extends PerceptualTarget, TileTarget {
  /** Lowest luma SSIM (11 × 11 Gaussian window) of pictures without a score. */
  readonly ssim: number
  /** Lowest luma PSNR in dB of pictures without a score. */
  readonly psnrDb: number
  /**
   * Luma target of pictures that also have a score. It is lower, because SSIM penalises dithering noise, and PSNR rewards invisible noise.
   */
  readonly scored: LumaTarget
  /** Lowest PSNR over red, green and blue in dB. It is lower than that of luma, but prevents lost colour. */
  readonly rgbPsnrDb: number
  /** Lowest luma and RGB PSNR of any block of 32 × 32 pixels. It detects a damaged button in an otherwise good screenshot. */
  readonly blockPsnrDb: number
  readonly blockRgbPsnrDb: number
  /** Largest lightness error of narrow bands, 5 to 10 pixels apart, in CIE Lab. */
  readonly bands: number
  /** Largest lightness difference of single pixels to smooth surroundings, in any window, in CIE Lab. */
  readonly specks: number
  /** Limit on `specks` for near-lossless rows. It is stricter, because their errors are sparse and more visible than even dithering. */
  readonly nearSpecks: number
  /** Largest size of near-lossless rows with fine hues, relative to rows with coarse hues. */
  readonly fineHues: number
  /** Fewest colours of a palette if the picture has as many. It keeps faint shades that the figures miss. */
  readonly leastColours: number
}

/** Target of pictures on PDF pages, at their stored resolution. */
export interface PageTarget extends LumaTarget {
  /** Lowest PSNR over all colour channels in dB. Chroma has half the resolution and coarser quantisation, but must not be lost. */
  readonly colourPsnrDb: number
  /** Largest resolution on the page in dpi. Pictures with a finer resolution are downsampled to it. */
  readonly dotsPerInch: number
}

/** Target of a film: mean SSIM and mean PSNR in dB of one part. If a part misses it, it is encoded again with a lower rate factor. */
export interface FrameTarget extends LumaTarget {
  /** First constant rate factor (crf) of x264. */
  readonly crf: number
}

/** Bit rate and quality of a film's sound that was uncompressed in the original. */
export interface FilmSound {
  /** AAC bit rate per channel, in bit/s. */
  readonly aacPerChannel: number
  /** LAME setting `-V` for AVI. */
  readonly mp3: number
}

/** LAME setting for MP3 files from this bit rate per channel. */
export interface Mp3Step {
  readonly fromKbpsPerChannel: number
  readonly vbr: number
}

/** No visible difference at 100 %. */
const HIGH: LumaTarget = { ssim: 0.98, psnrDb: 38 }
/** No visible difference at normal viewing size. */
const MEDIUM: LumaTarget = { ssim: 0.96, psnrDb: 35 }
/** Smallest result that still looks clean. */
const LOW: LumaTarget = { ssim: 0.93, psnrDb: 32 }

/** Returns the values per level. Default of `ultra`: the value of `low`. */
function perLevel<Row>(high: Row, medium: Row, low: Row, ultra = low): PerLevel<Row> {
  return { high, medium, low, ultra }
}

/** Returns the quality of the first search probe at a level, for each picture output. */
const usualQualities = (level: 'high' | 'medium' | 'low') =>
  Object.fromEntries(CONVERTED_PICTURES.map((id) => [id, PICTURE_FACTS[id].usualQuality[level]])) as Record<OtherPicture, number>

const PALETTE_LOW: RasterTarget = {
  ...LOW,
  scored: { ssim: 0.91, psnrDb: 31 },
  rgbPsnrDb: 28,
  blockPsnrDb: 27,
  blockRgbPsnrDb: 24,
  score: 60,
  worstTile: 40,
  cast: 5.5,
  steps: 0.45,
  bands: 0.45,
  specks: 4.2,
  nearSpecks: 3.2,
  fineHues: 1,
  leastColours: 8,
}

const PALETTE: Omit<PerLevel<RasterTarget>, 'high'> = {
  medium: {
    ...MEDIUM,
    scored: { ssim: 0.92, psnrDb: 33 },
    rgbPsnrDb: 31,
    blockPsnrDb: 30,
    blockRgbPsnrDb: 27,
    score: 72,
    worstTile: 52,
    cast: 4,
    steps: 0.4,
    bands: 0.34,
    specks: 3.8,
    nearSpecks: 2.3,
    fineHues: 1.12,
    leastColours: 12,
  },
  low: PALETTE_LOW,
  ultra: PALETTE_LOW,
}

export const LEVELS = {
  jpeg: perLevel<LossyPictureTarget>(
    { ...HIGH, lowestJpegQuality: 65 },
    { ...MEDIUM, lowestJpegQuality: 50 },
    { ...LOW, lowestJpegQuality: 35 },
  ),
  /** Perceptual targets of JPEG, WebP and AVIF with sides of at least 64 pixels (docs/decisions/quality-levels.md). */
  perceptual: perLevel<PicturePerceptualTarget>(
    {
      score: 82,
      worstTile: 62,
      cast: 3,
      steps: 0.5,
      floor: { ssim: 0.96, psnrDb: 34 },
      usualQuality: { jpeg: 85, ...usualQualities('high') },
    },
    {
      score: 72,
      worstTile: 52,
      cast: 4,
      steps: 0.6,
      floor: { ssim: 0.93, psnrDb: 31.3 },
      usualQuality: { jpeg: 60, ...usualQualities('medium') },
    },
    {
      score: 60,
      worstTile: 40,
      cast: 7,
      steps: 0.9,
      floor: { ssim: 0.91, psnrDb: 30.5 },
      usualQuality: { jpeg: 42, ...usualQualities('low') },
    },
  ),
  /** PSNR in dB of the chroma after halving its resolution. Above it, halved chroma gives fewer bytes at the same score. */
  halvedChromaPsnrDb: perLevel(42, 39, 36),
  /** Targets of palettes (PNG, GIF, BMP, also in documents). At `high`, these formats are lossless. */
  palette: PALETTE,
  page: perLevel<PageTarget>(
    { ...HIGH, colourPsnrDb: 34, dotsPerInch: 300 },
    { ...MEDIUM, colourPsnrDb: 31, dotsPerInch: 150 },
    { ...LOW, colourPsnrDb: 29, dotsPerInch: 96 },
  ),
  /** Resolution in dpi of pictures in Office documents and OFD, at their size on the page. */
  shownDotsPerInch: perLevel(300, 200, 150, 96),
  drawing: perLevel<DrawingTarget>(
    { ssim: 0.99, psnrDb: 40, score: 85, worstTile: 65, cast: 2, magnified: { score: 75, worstTile: 40 } },
    { ssim: 0.97, psnrDb: 36, score: 72, worstTile: 45, cast: 4, magnified: { score: 62, worstTile: -10 } },
    { ssim: 0.95, psnrDb: 33, score: 60, worstTile: 20, cast: 7, magnified: { score: 50, worstTile: -40 } },
  ),
  /** Targets of films. SSIM is slightly lower than for still pictures, which people view for longer. */
  frame: perLevel<FrameTarget>(
    { ssim: 0.979, psnrDb: 38, crf: 20 },
    { ssim: 0.957, psnrDb: 35, crf: 25 },
    { ssim: 0.92, psnrDb: 32, crf: 29 },
  ),
  filmSound: perLevel<FilmSound>({ aacPerChannel: 112_000, mp3: 2 }, { aacPerChannel: 72_000, mp3: 4 }, { aacPerChannel: 48_000, mp3: 6 }),
  /** Bit rate of Opus that is encoded again, per channel, in bit/s. 0: Opus stays lossless. */
  opus: perLevel(0, 64_000, 40_000),
  /** Bit rate for converting lossless sound to Opus, per channel, in bit/s. */
  soundAsOpus: perLevel(96_000, 64_000, 40_000),
  /** LAME setting `-V` for converting WAV to MP3. */
  wavAsMp3: perLevel(0, 3, 6),
  /** Settings for encoding an MP3 again, from the highest bit rate. Below the last step, the file is small enough and stays lossless. */
  mp3: perLevel<readonly Mp3Step[]>(
    [],
    [{ fromKbpsPerChannel: 92, vbr: 4 }],
    [
      { fromKbpsPerChannel: 72, vbr: 6 },
      { fromKbpsPerChannel: 60, vbr: 7 },
      { fromKbpsPerChannel: 46, vbr: 8 },
    ],
    [],
  ),
} as const

/** Resolutions in dpi that callers can ask for (`dpi`). */
export const DOCUMENT_DPI = { least: 72, most: 600 } as const

/** Widths in pixels at which drawings are rendered for comparison: as a picture on a page, and as a full screen. */
export const DRAWN_WIDTH = 640
export const MAGNIFIED_WIDTH = 1600

/** Increase of x264's rate factor above 720p. There, lookahead and mbtree are off, so the same factor would give more bytes. */
export const LARGE_FRAME_CRF = 2.5

/** Sound is encoded again only if its bit rate is at least this multiple of the level's target. */
export const MIN_SOUND_BITRATE_RATIO = 1.6

/** Largest size of an MP3 or Opus file that is encoded again, relative to the lossless result. Otherwise the lossless result is used. */
export const MAX_LOSSY_SIZE_RATIO = 0.93

/** Lowest signal-to-noise ratio in dB of audible codings of WAV at level `low`: IMA ADPCM, G.711, dithered 16-bit PCM. */
export const WAV_FLOORS_DB = { ima: 20, law: 26, dithered16: 40 } as const

/** Returns the SSIM and PSNR target of pictures as JPEG, WebP and AVIF. */
export const pictureTarget = (quality: Quality): LossyPictureTarget => LEVELS.jpeg[quality]
