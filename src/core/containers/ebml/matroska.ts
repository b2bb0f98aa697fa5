/** Identifiers of Matroska elements (RFC 9559, section 5.1). */

export const EBML = 0x1a45dfa3
export const SEGMENT = 0x18538067
/** Elements that every element with children may have (RFC 8794, section 11.3). */
export const VOID = 0xec
export const CRC_32 = 0xbf

export const SEEK_HEAD = 0x114d9b74
export const SEEK_POSITION = 0x53ac
export const INFO = 0x1549a966
export const TRACKS = 0x1654ae6b
export const CUES = 0x1c53bb6b
export const CUE_TRACK_POSITIONS = 0xb7
export const CUE_CLUSTER_POSITION = 0xf1
export const CUE_RELATIVE_POSITION = 0xf0
export const TAGS = 0x1254c367
export const CHAPTERS = 0x1043a770
export const ATTACHMENTS = 0x1941a469
export const ATTACHED_FILE = 0x61a7
export const FILE_MEDIA_TYPE = 0x4660
export const FILE_DATA = 0x465c

export const CLUSTER = 0x1f43b675
export const POSITION = 0xa7
export const PREVIOUS_SIZE = 0xab
export const BLOCK_GROUP = 0xa0

/** Positions of other elements that old programs wrote to Cues: codec states and referenced clusters. Zero: none. */
export const OTHER_POSITIONS: ReadonlySet<number> = new Set([0xea, 0x97, 0xeb])

/** Children of Segment. An element of unknown size ends in front of one of them. */
export const SEGMENT_CHILDREN: ReadonlySet<number> = new Set([SEEK_HEAD, INFO, TRACKS, CUES, TAGS, CHAPTERS, ATTACHMENTS, CLUSTER])

/** Elements below Segment that have children. Other elements are copied, whatever they hold. */
export const PARENTS: ReadonlySet<number> = new Set([
  ...[...SEGMENT_CHILDREN].filter((id) => id !== CLUSTER),
  // Seek, CuePoint, CueTrackPositions, CueReference, ChapterTranslate.
  ...[0x4dbb, 0xbb, CUE_TRACK_POSITIONS, 0xdb, 0x6924],
  // TrackEntry, TrackTranslate, Video, Audio, Colour, MasteringMetadata, Projection, BlockAdditionMapping.
  ...[0xae, 0x6624, 0xe0, 0xe1, 0x55b0, 0x55d0, 0x7670, 0x41e4],
  // TrackOperation and its planes, ContentEncodings, ContentEncoding, ContentCompression, ContentEncryption.
  ...[0xe2, 0xe3, 0xe4, 0xe9, 0x6d80, 0x6240, 0x5034, 0x5035],
  ATTACHED_FILE,
  // EditionEntry, ChapterAtom, ChapterTrack, ChapterDisplay, ChapProcess, ChapProcessCommand.
  ...[0x45b9, 0xb6, 0x8f, 0x80, 0x6944, 0x6911],
  // Tag, Targets, SimpleTag.
  ...[0x7373, 0x63c0, 0x67c8],
  // BlockGroup, BlockAdditions, BlockMore.
  ...[BLOCK_GROUP, 0x75a1, 0xa6],
])
