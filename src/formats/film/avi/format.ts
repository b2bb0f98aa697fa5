import type { Format } from '../../format.ts'

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
