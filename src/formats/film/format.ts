import type { Format } from '../format.ts'

const LEVELS = {
  low: 'H.264 at crf 29 (31.5 above 720p; SSIM 0.93, 32 dB at least), uncompressed sound and AAC that takes 1.6 times as much as AAC at 48 kbit/s a channel; lean tracks copied',
  medium: 'H.264 at crf 25 (27.5 above 720p; SSIM 0.96, 35 dB), AAC at 72 kbit/s a channel; lean tracks copied',
  high: 'H.264 at crf 20 (22.5 above 720p; SSIM 0.98, 38 dB), AAC at 112 kbit/s a channel; lean tracks copied, dead space dropped',
} as const

export const MP4 = {
  id: 'mp4',
  title: 'MP4',
  family: 'video',
  extensions: ['mp4', 'm4v', 'm4a'],
  mimeTypes: ['video/mp4'],
  worker: 'media',
  quickUpTo: 0,
  outputs: ['mp4', 'mov'],
  fidelity: 'perceptual',
  levels: LEVELS,
} as const satisfies Format

export const MOV = {
  id: 'mov',
  title: 'QuickTime',
  family: 'video',
  extensions: ['mov', 'qt'],
  mimeTypes: ['video/quicktime'],
  worker: 'media',
  quickUpTo: 0,
  outputs: ['mov', 'mp4'],
  fidelity: 'perceptual',
  levels: LEVELS,
} as const satisfies Format

export const AVI = {
  id: 'avi',
  title: 'AVI',
  family: 'video',
  extensions: ['avi'],
  mimeTypes: ['video/x-msvideo'],
  worker: 'media',
  quickUpTo: 0,
  outputs: ['avi', 'mp4', 'mov'],
  fidelity: 'perceptual',
  levels: {
    low: 'H.264 at crf 29 (31.5 above 720p; SSIM 0.93, 32 dB at least), uncompressed sound as MP3 -V6; the rest copied',
    medium: 'H.264 at crf 25 (27.5 above 720p; SSIM 0.96, 35 dB), uncompressed sound as MP3 -V4; the rest copied',
    high: 'H.264 at crf 20 (22.5 above 720p; SSIM 0.98, 38 dB), uncompressed sound as MP3 -V2; the rest copied, dead space dropped',
  },
} as const satisfies Format
