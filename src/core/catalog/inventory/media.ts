import type { OutputId } from '../outputs.ts'
import { type FormatPolicy, LOSSY_LEVELS, removable } from './policy.ts'

/** Dolby Vision adds a second layer of metadata to HDR pictures. Encoders of HEVC do not write it; the pictures stay HDR. */
const isDolbyVision = (item: string) => item.includes(' dolby vision ')

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
  other_tracks: 'kept',
  outer_boxes: 'kept',
  rotation: 'kept',
  side_data: removable(LOSSY_LEVELS, 'second_layer_not_encoded', isDolbyVision),
  sound_format: 'kept',
  subtitle_tracks: 'kept',
  tags: 'kept',
  timecode: 'kept',
  track_references: 'kept',
  trailing_bytes: 'kept',
  user_data: 'kept',
  video_tracks: 'kept',
} as const satisfies FormatPolicy

export const MEDIA = { mov: FILM, mp4: FILM } as const satisfies { readonly [Id in OutputId]?: FormatPolicy }
