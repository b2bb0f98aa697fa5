/** Identifiers of the elements that describe and hold tracks (RFC 9559, sections 5.1.3 to 5.1.4). */

// Info
export const TIMESTAMP_SCALE = 0x2ad7b1
export const TITLE = 0x7ba9
export const DATE = 0x4461

// TrackEntry
export const TRACK_ENTRY = 0xae
export const TRACK_NUMBER = 0xd7
export const TRACK_UID = 0x73c5
export const TRACK_TYPE = 0x83
export const IS_DEFAULT = 0x88
export const DEFAULT_DURATION = 0x23e383
export const TRACK_TIMESTAMP_SCALE = 0x23314f
export const MAX_BLOCK_ADDITION = 0x55ee
export const BLOCK_ADDITION_MAPPING = 0x41e4
export const BLOCK_ADDITION_TYPE = 0x41e7
export const BLOCK_ADDITION_DATA = 0x41ed
export const TRACK_NAME = 0x536e
export const LANGUAGE = 0x22b59c
export const LANGUAGE_BCP_47 = 0x22b59d
export const CODEC_ID = 0x86
export const CODEC_PRIVATE = 0x63a2
export const CODEC_DELAY = 0x56aa
export const TRACK_OPERATION = 0xe2
export const CONTENT_ENCODINGS = 0x6d80
export const CONTENT_ENCODING = 0x6240
export const CONTENT_ENCODING_SCOPE = 0x5032
export const CONTENT_COMPRESSION = 0x5034
export const CONTENT_ALGORITHM = 0x4254
export const CONTENT_SETTINGS = 0x4255
export const CONTENT_ENCRYPTION = 0x5035

// Video
export const VIDEO = 0xe0
export const STEREO_MODE = 0x53b8
export const ALPHA_MODE = 0x53c0
export const PIXEL_WIDTH = 0xb0
export const PIXEL_HEIGHT = 0xba
/** Pixels to remove at the bottom, top, left and right. */
export const PIXEL_CROPS: readonly number[] = [0x54aa, 0x54bb, 0x54cc, 0x54dd]
export const DISPLAY_WIDTH = 0x54b0
export const DISPLAY_HEIGHT = 0x54ba
export const DISPLAY_UNIT = 0x54b2
export const COLOUR = 0x55b0
export const MATRIX_COEFFICIENTS = 0x55b1
export const RANGE = 0x55b9
export const TRANSFER = 0x55ba
export const PRIMARIES = 0x55bb
export const MAX_CLL = 0x55bc
export const MAX_FALL = 0x55bd
export const MASTERING = 0x55d0
/** Chromaticities of red, green, blue and white, each as x and y, then the largest and smallest luminance. */
export const MASTERING_FIELDS: readonly number[] = [
  ...[0x55d1, 0x55d2, 0x55d3, 0x55d4, 0x55d5, 0x55d6],
  ...[0x55d7, 0x55d8, 0x55d9, 0x55da],
]
export const PROJECTION = 0x7670
export const PROJECTION_TYPE = 0x7671
export const POSE_YAW = 0x7673
export const POSE_PITCH = 0x7674
export const POSE_ROLL = 0x7675

// Audio
export const AUDIO = 0xe1
export const SAMPLING_FREQUENCY = 0xb5
export const CHANNELS = 0x9f
export const BIT_DEPTH = 0x6264

// Cluster
export const TIMESTAMP = 0xe7
export const SIMPLE_BLOCK = 0xa3
export const BLOCK = 0xa1
export const BLOCK_DURATION = 0x9b
export const REFERENCE_BLOCK = 0xfb
export const DISCARD_PADDING = 0x75a2
export const ENCRYPTED_BLOCK = 0xaf
/** Children of BlockGroup with content that MP4 has no place for: additions to a block, and the state of a codec. */
export const BLOCK_EXTRAS: readonly number[] = [0x75a1, 0xa4]

// Chapters and tags
export const EDITION = 0x45b9
export const EDITION_HIDDEN = 0x45bd
export const EDITION_ORDERED = 0x45dd
export const CHAPTER = 0xb6
export const CHAPTER_START = 0x91
export const CHAPTER_HIDDEN = 0x98
export const CHAPTER_ENABLED = 0x4598
export const CHAPTER_DISPLAY = 0x80
export const CHAPTER_TITLE = 0x85
export const TAG = 0x7373
export const TARGETS = 0x63c0
/** Targets of a tag by unique number: track, edition, chapter, attached file. */
export const TARGET_UIDS: readonly number[] = [0x63c5, 0x63c9, 0x63c4, 0x63c6]
export const SIMPLE_TAG = 0x67c8
export const TAG_NAME = 0x45a3
export const TAG_TEXT = 0x4487
export const FILE_NAME = 0x466e
