import type { OutputId } from '../outputs.ts'
import { EVERY_LEVEL, type FormatPolicy, LOSSY_LEVELS, removable } from './policy.ts'

/** Dolby Vision adds a second layer of metadata to HDR pictures. Encoders of HEVC do not write it; the pictures stay HDR. */
const isDolbyVision = (item: string) => item.includes(' dolby vision ')

/** Bytes behind a RIFF form. MP3, MP4 and QuickTime made from it have no place for them. */
const isBehindRiff = (item: string) => item.startsWith('behind the RIFF form ')
const RIFF_TAIL = removable(EVERY_LEVEL, 'output_cannot_store', isBehindRiff)

/** Streams of transport streams and tags of Flash video that MP4 has no place for. Other tracks have names like `data 0`. */
const isOfStream = (item: string) => /^(?:PID|script) /.test(item)
const STREAM = removable(EVERY_LEVEL, 'output_cannot_store', isOfStream)

const FILM = {
  audio_tracks: 'kept',
  bit_depth: 'kept',
  chapters: 'kept',
  colour: 'kept',
  covers: 'kept',
  dispositions: 'kept',
  durations: 'kept',
  edit_lists: 'kept',
  gapless_data: 'kept',
  languages: 'kept',
  other_tracks: STREAM,
  outer_boxes: 'kept',
  rotation: 'kept',
  side_data: removable(LOSSY_LEVELS, 'second_layer_not_encoded', isDolbyVision),
  sound_format: 'kept',
  subtitle_tracks: STREAM,
  tags: 'kept',
  timecode: 'kept',
  track_references: 'kept',
  trailing_bytes: RIFF_TAIL,
  user_data: 'kept',
  video_tracks: 'kept',
} as const satisfies FormatPolicy

const AVI = {
  audio_tracks: 'kept',
  chunks: 'kept',
  durations: 'kept',
  other_tracks: 'kept',
  rotation: 'kept',
  sound_format: 'kept',
  subtitle_tracks: 'kept',
  tags: 'kept',
  trailing_bytes: 'kept',
  video_tracks: 'kept',
} as const satisfies FormatPolicy

const WAV = {
  chapters: 'kept',
  chunks: 'kept',
  covers: 'kept',
  cue_points: 'kept',
  durations: 'kept',
  gapless_data: 'kept',
  loops: 'kept',
  sound_format: 'kept',
  tags: 'kept',
  trailing_bytes: 'kept',
} as const satisfies FormatPolicy

const MP3 = {
  chapters: 'kept',
  covers: 'kept',
  durations: 'kept',
  gapless_data: 'kept',
  // MP3 has one or two channels and no positions of speakers.
  sound_format: removable(EVERY_LEVEL, 'output_cannot_store', (item) => item.startsWith('speakers ')),
  tag_forms: 'kept',
  tags: 'kept',
  // Players skip unknown bytes between tags and sound. Newly encoded sound begins behind the tags.
  trailing_bytes: [RIFF_TAIL, removable(LOSSY_LEVELS, 'nothing_refers_to_it', (item) => item.startsWith('in front of the frames '))],
} as const satisfies FormatPolicy

const FLAC = {
  chapters: 'kept',
  chunks: 'kept',
  covers: 'kept',
  cue_points: 'kept',
  durations: 'kept',
  gapless_data: 'kept',
  loops: 'kept',
  sound_format: 'kept',
  tag_forms: 'kept',
  tags: 'kept',
} as const satisfies FormatPolicy

/** Chunks and cue points of WAVE and AIFF, which Opus made from them cannot store. Those of FLAC in Ogg stay. */
const isOfRiff = (item: string) => !/^(?:block \d|behind the tags|cue sheet)/.test(item)
const RIFF_CHUNKS = removable(EVERY_LEVEL, 'output_cannot_store', isOfRiff)

const OGG = {
  audio_tracks: 'kept',
  chapters: 'kept',
  chunks: RIFF_CHUNKS,
  covers: 'kept',
  cue_points: RIFF_CHUNKS,
  durations: 'kept',
  gapless_data: 'kept',
  other_tracks: 'kept',
  sound_format: 'kept',
  subtitle_tracks: 'kept',
  tags: 'kept',
  video_tracks: 'kept',
} as const satisfies FormatPolicy

const MATROSKA = {
  attachments: 'kept',
  audio_tracks: 'kept',
  chapters: 'kept',
  chunks: 'kept',
  covers: 'kept',
  cue_points: 'kept',
  dispositions: 'kept',
  durations: 'kept',
  languages: 'kept',
  other_tracks: 'kept',
  subtitle_tracks: 'kept',
  tags: 'kept',
  video_tracks: 'kept',
} as const satisfies FormatPolicy

/** Kinds of transport streams and Flash video, which become MP4. */
const STREAMS = {
  audio_tracks: 'kept',
  colour: 'kept',
  durations: 'kept',
  languages: 'kept',
  other_tracks: STREAM,
  rotation: 'kept',
  sound_format: 'kept',
  subtitle_tracks: STREAM,
  video_tracks: 'kept',
} as const satisfies FormatPolicy

export const MEDIA = {
  aiff: WAV,
  avi: AVI,
  flac: FLAC,
  flv: STREAMS,
  m4a: FILM,
  mkv: MATROSKA,
  mov: FILM,
  mp3: MP3,
  mp4: FILM,
  ogg: OGG,
  opus: OGG,
  ts: STREAMS,
  wav: WAV,
  webm: MATROSKA,
} as const satisfies { readonly [Id in OutputId]?: FormatPolicy }
