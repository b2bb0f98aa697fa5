/** What the option `metadata` removes (API.md, "Resizing and metadata"). */
import type { InventoryKind } from './inventory/kinds.ts'
import type { MetadataMode, RemovingMode } from './metadata-modes.ts'
import { DOCUMENT_RULES, type MetadataRule, type MetadataRules, XMP_RIGHTS } from './metadata-of-documents.ts'
import type { OutputId } from './outputs.ts'

export type { MetadataMode, RemovingMode } from './metadata-modes.ts'

export const METADATA_MODES = ['keep', 'safe', 'strip'] as const satisfies readonly MetadataMode[]

/** EXIF tags of IFD0 that stay, by mode (Exif 2.32, 4.6.4): orientation and resolution; for `safe` also artist and copyright. */
export const EXIF_TAGS_KEPT: { readonly [Mode in RemovingMode]: ReadonlyMap<number, string> } = (() => {
  const look: [number, string][] = [
    [0x0112, 'Orientation'],
    [0x011a, 'XResolution'],
    [0x011b, 'YResolution'],
    [0x0128, 'ResolutionUnit'],
  ]
  const law: [number, string][] = [
    [0x013b, 'Artist'],
    [0x8298, 'Copyright'],
  ]
  return { strip: new Map(look), safe: new Map([...look, ...law]) }
})()

/** XMP properties that change the look: gain maps of HDR pictures and the list of pictures in the file. */
const XMP_LOOK = /^(?:hdrgm|Container|GContainer|Item|HDRGainMap|apdi|aux\.HDRGainMap):/

/** True if an XMP property of a picture stays. `name`: qualified name with the usual prefix, such as `dc:rights`. */
export const keepsXmpProperty = (mode: RemovingMode, name: string): boolean =>
  XMP_LOOK.test(name) || (mode === 'safe' && (name === 'dc:creator' || XMP_RIGHTS.test(name)))

/** IPTC data sets of record 2 that `safe` keeps (IIM 4.2): by-line, credit, source, copyright notice. */
export const IPTC_KEPT: ReadonlySet<number> = new Set([80, 110, 115, 116])

const EXIF_NAMES = new Set([...EXIF_TAGS_KEPT.safe.values()])
const LOOK_NAMES = new Set([...EXIF_TAGS_KEPT.strip.values()])
/** Tags of sound and films that stay: loudness and gapless data; for `safe` also rights. */
const SOUND_LOOK = /replaygain|^R128_|mp3gain|iTunSMPB|iTunNORM|RVA[2D]|loudness|^(?:MLLT|ETCO|SYTC)$/i
const SOUND_LAW = /copyright|^(?:artist|TCOP|WCOP|TPRO|USER|OWNE|ICOP|IART|ICMS|cprt|©cpy|©aut|perf|auth)$/i

/** Tags of a TIFF page that describe the picture and not its look, with the names of the inventory, which has none for the document name. */
export const TIFF_TAGS_REMOVED: ReadonlyMap<number, string> = new Map([
  [269, '0x010d'],
  [270, 'ImageDescription'],
  [271, 'Make'],
  [272, 'Model'],
  [305, 'Software'],
  [306, 'ModifyDate'],
  [315, 'Artist'],
  [316, 'HostComputer'],
  [33432, 'Copyright'],
  [33723, 'IPTC'],
  [34377, 'PhotoshopSettings'],
  [40091, 'XPTitle'],
  [40092, 'XPComment'],
  [40093, 'XPAuthor'],
  [40094, 'XPKeywords'],
  [40095, 'XPSubject'],
])
const TIFF_NAMES = new Set(TIFF_TAGS_REMOVED.values())
/** Item of a TIFF page: name of the page, name of the tag. */
const TIFF_PAGE = /^page [\d.+]+ (.+)$/
/** True for a description that programs need to interpret the samples: XML of OME-TIFF, JSON and key lists of microscopes. */
export const isStructuredDescription = (text: string): boolean => /^\s*(?:<|\{|\[|ImageJ=|SCANIMAGE|SI\.)/.test(text)

/** True if `mode` removes a tag of a TIFF page. */
const removesTiffTag = (mode: RemovingMode, name: string, item: string) =>
  TIFF_NAMES.has(name) &&
  !(mode === 'safe' && EXIF_NAMES.has(name)) &&
  !(name === 'ImageDescription' && isStructuredDescription(item.slice(item.indexOf(' = ') + 3)))

/** True if a tag of a sound or a film stays. `name`: name of the tag in its container. */
export const keepsSoundTag = (mode: RemovingMode, name: string): boolean =>
  SOUND_LOOK.test(name) || (mode === 'safe' && SOUND_LAW.test(name))
/** Names of comments of pictures, and comments about rights or authors, which `safe` may keep. */
const PICTURE_COMMENT = /^(?:(?:long|empty|unreadable) )?comment$/
const COMMENT_LAW = /copyright|©|\(c\)|licen[cs]e| = (?:Author|Disclaimer): /i
/** Chunks of PNG that change the look and have no kind of their own. */
const CHUNK_LOOK = /^PNG (?:gmAP|gDAT|gAMA|cHRM|sRGB|cICP|mDC[Vv]|cLL[Ii]|sPLT|pHYs|oFFs|pCAL|sCAL|sTER|acTL|fcTL) /
/** Segments of JPEG that change the look: gain maps (ISO 21496-1). */
const SEGMENT_LOOK = /^APP2 urn:iso:std:iso:ts:21496:-1 /
/** Photoshop resources that change the look: clipping paths (2000 to 2999, 1025). */
const PATH_RESOURCE = /^Photoshop 0x(?:07d[0-9a-f]|07[ef][0-9a-f]|0[89a][0-9a-f]{2}|0b[0-9a][0-9a-f]|0bb[0-7]|0401)$/

/** Kinds of pictures, sound and films. A tag of a TIFF page is an item of the kind `tags`, as a tag of a sound is. */
const REMOVED_FROM_MEDIA: MetadataRules['removed'] = {
  chunks: (_mode, _name, item) => (item.startsWith('PNG ') && !CHUNK_LOOK.test(item)) || /^(?:extension|RIFF chunk) /.test(item),
  comments: (mode, name, item) => PICTURE_COMMENT.test(name) && (mode === 'strip' || !COMMENT_LAW.test(item)),
  exif_tags: (mode, name) => !(mode === 'safe' ? EXIF_NAMES : LOOK_NAMES).has(name.slice(name.lastIndexOf(':') + 1)),
  further_pictures: (_mode, name) => name.endsWith(' thumbnail'),
  gps_tags: () => true,
  iptc_fields: (mode, name) => !PATH_RESOURCE.test(name) && (mode === 'strip' || !/By-?line|Credit|Source|Copyright/i.test(name)),
  maker_notes: () => true,
  segments: (_mode, _name, item) => /^APP\d/.test(item) && !SEGMENT_LOOK.test(item),
  trailing_bytes: (_mode, name) => name === 'after the picture',
  xmp_properties: (mode, name) => !keepsXmpProperty(mode, name),
  properties: (_mode, name) => !TIFF_PAGE.test(name),
  layers: (_mode, name) => TIFF_PAGE.test(name),
  tags: (mode, name, item) => {
    const tiffTag = TIFF_PAGE.exec(name)?.[1]
    return tiffTag === undefined ? !keepsSoundTag(mode, name) : removesTiffTag(mode, tiffTag, item)
  },
}

/** Pictures: a comment about rights, directories of a thumbnail, and further pictures, whose own metadata is removed. */
const ALONG_IN_PICTURES: MetadataRules['along'] = {
  comments: (_mode, name) => PICTURE_COMMENT.test(name),
  exif_tags: (_mode, name) => !name.startsWith('IFD0:'),
  further_pictures: (_mode, name) => /^(?:picture \d+|JPEG after the end)$/.test(name),
  iptc_fields: (_mode, name) => name === 'By-lineTitle',
  languages: (_mode, name) => name.startsWith('comment '),
}

const ALWAYS = () => true
/** Items of data tracks, and references to them: tracks that record places go with the other metadata. */
const isOfDataTrack: MetadataRule = (_mode, _name, item) => /\bdata \d/.test(item)

/** Sound and films: players need some chunks and user data, and a tag stays while it has loudness. */
const ALONG_IN_MEDIA: MetadataRules['along'] = {
  chunks: ALWAYS,
  covers: ALWAYS,
  dispositions: isOfDataTrack,
  gapless_data: (_mode, _name, item) => item.startsWith('iTunSMPB '),
  languages: isOfDataTrack,
  other_tracks: ALWAYS,
  outer_boxes: ALWAYS,
  tag_forms: ALWAYS,
  track_references: isOfDataTrack,
  trailing_bytes: ALWAYS,
  user_data: ALWAYS,
}

/** File whose items are judged. */
export interface MetadataHolder {
  readonly output: OutputId
  /** True for sound and films. */
  readonly isMedia: boolean
  /** True for a PDF that claims PDF/X, which requires dates, programs and ids. */
  readonly claimsPdfX: boolean
}

/** True if `mode` removes an item of a kind. Items are those of `core/inventory`: `name = value`, or a value alone. */
export const isRemovedBy = (mode: RemovingMode, kind: InventoryKind, item: string, holder: MetadataHolder): boolean =>
  applies(rulesOf(holder).removed[kind], mode, item)

/** True if an item of a kind may go or change because metadata was removed. */
export const mayGoWithMetadata = (mode: RemovingMode, kind: InventoryKind, item: string, holder: MetadataHolder): boolean =>
  isRemovedBy(mode, kind, item, holder) || applies(rulesOf(holder).along[kind], mode, item)

function rulesOf({ output, isMedia, claimsPdfX }: MetadataHolder): MetadataRules {
  const along = isMedia ? ALONG_IN_MEDIA : ALONG_IN_PICTURES
  return DOCUMENT_RULES[output]?.(claimsPdfX) ?? { removed: REMOVED_FROM_MEDIA, along }
}

/** Kinds without a rule are content. */
const applies = (rule: MetadataRule | undefined, mode: RemovingMode, item: string): boolean => rule?.(mode, nameOfItem(item), item) ?? false

/** Text of an item before ` = `, or the whole item. An empty value leaves ` =` at the end. */
export function nameOfItem(item: string): string {
  const end = item.indexOf(' = ')
  return end < 0 ? item.replace(/ =$/, '') : item.slice(0, end)
}
