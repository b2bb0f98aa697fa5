/** Policy for pictures. In a conversion, the rows of the output decide; what it has no row for, it cannot store. */
import type { OutputId } from '../outputs.ts'
import { EVERY_LEVEL, type FormatPolicy, removable } from './policy.ts'

/** Chunks of PNG marked unsafe to copy that do not depend on the pixels, so that they stay (W3C PNG, 5.4). */
const SAFE_CHUNKS = /^PNG (?:caBX|gmAP|gDAT|sPLT|tIME|oFFs|pCAL|sCAL|sTER)\b/
/** Chunk that belongs to the old pixels: a background colour, or an unknown one marked unsafe to copy. */
const belongsToOldPixels = (item: string) => item === 'bKGD' || (/^PNG [A-Za-z]{3}[A-Z] /.test(item) && !SAFE_CHUNKS.test(item))

/** Colour spaces of BMP that readers treat as sRGB: all but those with their own primaries or a profile in another file. */
const isPlainBmpSpace = (item: string) => /^BMP colour space = (?!complete|linked profile)/.test(item)
/** Chunks that only WebP stores. */
const isRiffChunk = (item: string) => item.startsWith('RIFF chunk ')
const isUnreadable = (item: string) => item.startsWith('unreadable ')
const isLong = (item: string) => item.startsWith('long comment ')
const isEmpty = (item: string) => item.startsWith('empty comment ')
/** Items of animations whose canvas is too large for the reader to draw. The codec compares every frame. */
const isOnLargeCanvas = (item: string) => item.endsWith('large canvas')

/** Further pictures and items of AVIF and HEIC files: gain maps, depth maps. */
const isOfHeif = (item: string) => /^(?:HEIC )?(?:auxiliary|derived) picture = /.test(item)
/** Items that only HEIC stores. */
const isOfHeic = (item: string) => item.startsWith('HEIC ')

/** Metadata that every converted picture keeps. A profile that cannot be read has no effect. */
const METADATA = {
  exif_tags: 'kept',
  further_pictures: removable(EVERY_LEVEL, 'output_cannot_store', isOfHeif),
  gps_tags: 'kept',
  icc_profile: removable(EVERY_LEVEL, 'output_cannot_store', isUnreadable),
  maker_notes: 'kept',
  trailing_bytes: 'kept',
  xmp_properties: 'kept',
} as const satisfies FormatPolicy

export const PICTURES = {
  avif: {
    ...METADATA,
    further_pictures: removable(EVERY_LEVEL, 'output_cannot_store', isOfHeic),
    items: removable(EVERY_LEVEL, 'output_cannot_store', isOfHeic),
    rotation: removable(EVERY_LEVEL, 'stale'),
    // AVIF results have ten bits: less than a PNG with 16, more than one with 8.
    bit_depth: [
      removable(EVERY_LEVEL, 'output_cannot_store', (item) => item === 'bits = 16'),
      removable(EVERY_LEVEL, 'regenerated', (item) => item === 'bits = 8'),
    ],
    // The pixels are turned upright, and light levels are whole numbers.
    colour_signalling: [
      removable(EVERY_LEVEL, 'output_cannot_store', (item) => /^(?:gAMA|cHRM|sRGB) |^light levels = .*\./.test(item)),
      removable(EVERY_LEVEL, 'output_cannot_store', isPlainBmpSpace),
    ],
    exif_tags: removable(EVERY_LEVEL, 'stale', (item) => item.startsWith('IFD0:Orientation = ')),
  },
  bmp: {
    colour_signalling: 'kept',
    icc_profile: 'kept',
    resolution: 'kept',
    trailing_bytes: 'kept',
  },
  gif: {
    chunks: 'kept',
    comments: 'kept',
    delays: removable(EVERY_LEVEL, 'duplicate', isOnLargeCanvas),
    frames: removable(EVERY_LEVEL, 'duplicate', isOnLargeCanvas),
    icc_profile: 'kept',
    loop: 'kept',
    play_time: 'kept',
    trailing_bytes: 'kept',
    xmp_properties: 'kept',
  },
  // Only read: a conversion follows the rules of its output.
  heic: {
    ...METADATA,
    further_pictures: 'kept',
    items: 'kept',
    rotation: 'kept',
    bit_depth: 'kept',
    colour_signalling: 'kept',
    exif_tags: 'kept',
  },
  jpg: {
    ...METADATA,
    comments: [
      removable(EVERY_LEVEL, 'empty', isEmpty),
      removable(EVERY_LEVEL, 'output_cannot_store', (item) => isLong(item) || isUnreadable(item)),
    ],
    iptc_fields: 'kept',
    resolution: 'kept',
    segments: 'kept',
  },
  // Code points of SDR colours become a profile. The pixels are turned upright.
  jxl: {
    ...METADATA,
    exif_tags: removable(EVERY_LEVEL, 'stale', (item) => item.startsWith('IFD0:Orientation = ')),
    rotation: removable(EVERY_LEVEL, 'stale'),
  },
  png: {
    ...METADATA,
    bit_depth: 'kept',
    chunks: [
      removable(EVERY_LEVEL, 'stale', belongsToOldPixels),
      removable(EVERY_LEVEL, 'output_cannot_store', (item) => item.startsWith('extension ') || isRiffChunk(item)),
    ],
    colour_signalling: removable(EVERY_LEVEL, 'output_cannot_store', isPlainBmpSpace),
    comments: 'kept',
    data_values: 'kept',
    delays: 'kept',
    frames: 'kept',
    languages: 'kept',
    loop: 'kept',
    resolution: 'kept',
  },
  webp: {
    ...METADATA,
    // Chunks of other formats have no place in a WebP.
    chunks: removable(EVERY_LEVEL, 'output_cannot_store', (item) => !isRiffChunk(item)),
    delays: 'kept',
    frames: 'kept',
    loop: 'kept',
  },
} as const satisfies { readonly [Id in OutputId]?: FormatPolicy }
