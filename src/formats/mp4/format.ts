import type { Format } from '../format.ts'

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
  levels: {
    low: 'H.264 at crf 29 (31.5 above 720p; SSIM 0.93, 32 dB at least), uncompressed sound and AAC that takes 1.6 times as much as AAC at 48 kbit/s a channel; lean tracks copied',
    medium: 'H.264 at crf 25 (27.5 above 720p; SSIM 0.96, 35 dB), AAC at 72 kbit/s a channel; lean tracks copied',
    high: 'H.264 at crf 20 (22.5 above 720p; SSIM 0.98, 38 dB), AAC at 112 kbit/s a channel; lean tracks copied, dead space dropped',
  },
} as const satisfies Format
