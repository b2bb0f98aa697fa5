import type { Format } from '../format.ts'

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
  levels: {
    low: 'H.264 at crf 29 (31.5 above 720p; SSIM 0.93, 32 dB at least), uncompressed sound and AAC that takes 1.6 times as much as AAC at 48 kbit/s a channel; lean tracks copied',
    medium: 'H.264 at crf 25 (27.5 above 720p; SSIM 0.96, 35 dB), AAC at 72 kbit/s a channel; lean tracks copied',
    high: 'H.264 at crf 20 (22.5 above 720p; SSIM 0.98, 38 dB), AAC at 112 kbit/s a channel; lean tracks copied, dead space dropped',
  },
} as const satisfies Format
