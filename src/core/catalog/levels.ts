/**
 * What `low`, `medium`, `high` and `ultra` mean: the only table, with a column for each medium whose figures must differ. The
 * sentences of `GET /v1/formats` are made from it (describe.ts), docs/users/quality.md is held to it by a test. The floors under
 * everything are in codec/codec.ts.
 */

import { CONVERTED_PICTURES, OTHER_OUTPUTS, type OtherPicture } from './output-table.ts'

/** `ultra` is for documents. */
export type Quality = 'low' | 'medium' | 'high' | 'ultra'

type Column<Row> = { readonly [level in Quality]: Row }

/** Mean luma SSIM (11×11 Gaussian) and luma PSNR. */
export interface LumaTarget {
  readonly ssim: number
  readonly psnrDb: number
}

/** Pictures as JPEG, WebP and AVIF. */
export interface Target extends LumaTarget {
  /** On smooth pictures blocks show below this (mozjpeg's scale), whatever SSIM says. */
  readonly lowestJpegQuality: number
}

/** What eyes see beyond luma, where it is measured (wasm/measure: score.h, shades.h). */
export interface PerceptualTarget {
  /** SSIMULACRA 2.1: 90 is not to be told apart, 70 differs without annoying, 50 is slightly annoying. */
  readonly score: number
  /** Distance in CIE Lab a and b of the mean colour, at most, in the worst window of 15 × 15 pixels: no hue changes. */
  readonly cast: number
  /** How far smooth areas may be off in steps, at most, in the worst such window, in CIE Lab: shadows stay soft. */
  readonly steps: number
}

/** A drawing, `DRAWN_WIDTH` pixels wide; see docs/decisions/svg.md for where the figures come from. */
export interface DrawingTarget extends LumaTarget, Pick<PerceptualTarget, 'score' | 'cast'>, TileTarget {
  /** The same drawing, `MAGNIFIED_WIDTH` pixels wide. */
  readonly magnified: Pick<PerceptualTarget, 'score'> & TileTarget
}

interface TileTarget {
  /** The score of the worst tile of 64 × 64 pixels: a ring that is uneven, in a drawing that is right everywhere else; two reds that are one. */
  readonly worstTile: number
}

/** What eyes may see of a JPEG, WebP or AVIF, which are steered by the score instead of by SSIM and PSNR. */
export interface PicturePerceptualTarget extends PerceptualTarget, TileTarget {
  /** What luma keeps all the same, well above the floors. */
  readonly floor: LumaTarget
  /** Where the search for it begins, on the scale of each coder: half of all photographs end within ten of it. */
  readonly usualQuality: { readonly [coder in 'jpeg' | OtherPicture]: number }
}

export interface RasterTarget extends PerceptualTarget, TileTarget {
  /** Luma SSIM, 11 x 11 Gaussian. */
  readonly ssim: number
  /** Luma PSNR in dB. */
  readonly psnrDb: number
  /** What is enough where the score is measured, too: SSIM punishes the fine noise that hides steps, PSNR protects noise that nobody sees. */
  readonly scored: LumaTarget
  /** PSNR over red, green and blue in dB: colour may suffer more than luma, but must not be lost. */
  readonly rgbPsnrDb: number
  /** Luma and RGB PSNR of the worst block of 32 x 32 pixels: figures of whole screens forgive a spoilt button. */
  readonly blockPsnrDb: number
  readonly blockRgbPsnrDb: number
  /** The same of steps that are nearer to each other, at most: those of a button. */
  readonly bands: number
  /** How far single pixels may stand out in smooth areas, at most, in CIE Lab, in the worst window: no specks. */
  readonly specks: number
  /** The same of rows near to the picture's: their dots are sparse and stand out, where dithering is an even grain. */
  readonly nearSpecks: number
  /** Bytes that such rows may take for fine hues, of what they take for coarse ones. */
  readonly fineHues: number
  /** Colours a palette has at least, where the picture has as many: figures forgive faint shades that eyes still see. */
  readonly leastColours: number
}

/** Pictures of PDF pages, at the resolution that is stored. */
export interface PageTarget extends LumaTarget {
  /** Over all colour channels: chroma is halved and coded more coarsely, but not lost. */
  readonly colourPsnrDb: number
  /** Pictures stored finer than this are reduced to it, at the size they are drawn. */
  readonly dotsPerInch: number
}

/** Pictures of films: means of a part (of the frames' PSNR in dB); below them it is encoded again with a lower rate factor. */
export interface FrameTarget extends LumaTarget {
  /** x264's constant rate factor to start from. */
  readonly crf: number
}

/** Sound of films that came in uncompressed. */
export interface FilmSound {
  /** AAC bits per second for each channel. */
  readonly aacPerChannel: number
  /** LAME's `-V` in AVI. */
  readonly mp3: number
}

/** A file of so many kbit/s a channel is encoded again with this `-V` of LAME. */
export interface Mp3Step {
  readonly fromKbpsPerChannel: number
  readonly vbr: number
}

/** No difference visible at 100 %. */
const HIGH: LumaTarget = { ssim: 0.98, psnrDb: 38 }
/** None at normal viewing size. */
const MEDIUM: LumaTarget = { ssim: 0.96, psnrDb: 35 }
/** The smallest that still looks clean. */
const LOW: LumaTarget = { ssim: 0.93, psnrDb: 32 }

/** `ultra` is as small as `low` where nothing else is said. */
function column<Row>(high: Row, medium: Row, low: Row, ultra = low): Column<Row> {
  return { high, medium, low, ultra }
}

/** Where the search begins at a level, for each output that pictures are converted to. */
const usual = (level: 'high' | 'medium' | 'low') =>
  Object.fromEntries(CONVERTED_PICTURES.map((id) => [id, OTHER_OUTPUTS[id].picture.usualQuality[level]])) as Record<OtherPicture, number>

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

const PALETTE: Omit<Column<RasterTarget>, 'high'> = {
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
  jpeg: column<Target>({ ...HIGH, lowestJpegQuality: 65 }, { ...MEDIUM, lowestJpegQuality: 50 }, { ...LOW, lowestJpegQuality: 35 }),
  /** JPEG, WebP and AVIF of at least 64 pixels a side (why these figures: docs/decisions/quality-levels.md). */
  perceptual: column<PicturePerceptualTarget>(
    { score: 82, worstTile: 62, cast: 3, steps: 0.5, floor: { ssim: 0.96, psnrDb: 34 }, usualQuality: { jpeg: 85, ...usual('high') } },
    { score: 72, worstTile: 52, cast: 4, steps: 0.6, floor: { ssim: 0.93, psnrDb: 31.3 }, usualQuality: { jpeg: 60, ...usual('medium') } },
    { score: 60, worstTile: 40, cast: 7, steps: 0.9, floor: { ssim: 0.91, psnrDb: 30.5 }, usualQuality: { jpeg: 42, ...usual('low') } },
  ),
  /** PSNR in dB of the chroma that JPEGs are left with at half the resolution: above it, halving takes fewer bytes at the same score. */
  halvedChromaPsnrDb: column(42, 39, 36),
  /** Palettes (PNG, GIF, BMP, also inside documents); `high` stays exact there. */
  palette: PALETTE,
  page: column<PageTarget>(
    { ...HIGH, colourPsnrDb: 34, dotsPerInch: 300 },
    { ...MEDIUM, colourPsnrDb: 31, dotsPerInch: 150 },
    { ...LOW, colourPsnrDb: 29, dotsPerInch: 96 },
  ),
  /** Pixels per inch of what is shown that pictures in Office files and OFD keep. */
  shownDotsPerInch: column(300, 200, 150, 96),
  drawing: column<DrawingTarget>(
    { ssim: 0.99, psnrDb: 40, score: 85, worstTile: 65, cast: 2, magnified: { score: 75, worstTile: 40 } },
    { ssim: 0.97, psnrDb: 36, score: 72, worstTile: 45, cast: 4, magnified: { score: 62, worstTile: -10 } },
    { ssim: 0.95, psnrDb: 33, score: 60, worstTile: 20, cast: 7, magnified: { score: 50, worstTile: -40 } },
  ),
  /** SSIM a little lower than of pictures that stand still, which are looked at for longer. */
  frame: column<FrameTarget>(
    { ssim: 0.979, psnrDb: 38, crf: 20 },
    { ssim: 0.957, psnrDb: 35, crf: 25 },
    { ssim: 0.92, psnrDb: 32, crf: 29 },
  ),
  filmSound: column<FilmSound>({ aacPerChannel: 112_000, mp3: 2 }, { aacPerChannel: 72_000, mp3: 4 }, { aacPerChannel: 48_000, mp3: 6 }),
  /** LAME's `-V` for WAV as MP3. */
  wavAsMp3: column(0, 3, 6),
  /** MP3 again: from the most bits on; below the last step a file is lean already. */
  mp3: column<readonly Mp3Step[]>(
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

/** How wide drawings are drawn when they are compared, in pixels: as pictures on a page, and filling a screen. */
export const DRAWN_WIDTH = 640
export const MAGNIFIED_WIDTH = 1600

/** What x264's rate factor grows by above 720p: without mbtree, which needs a look ahead, the same factor spends more. */
export const LARGE_FRAME_CRF = 2.5

/** Packets of sound are worth encoding again only when they take this many times what the level asks for. */
export const FAT_SOUND = 1.6

/** MP3 again must beat the lossless result by this much. */
export const MP3_SHARE = 0.93

/** Lowest signal-to-noise ratio in dB at which WAV at `low` takes a form whose noise can be heard. */
export const WAV_FLOORS_DB = { ima: 20, law: 26, dithered16: 40 } as const

/** What pictures aim at as JPEG, WebP and AVIF. */
export const pictureTarget = (quality: Quality): Target => LEVELS.jpeg[quality]
