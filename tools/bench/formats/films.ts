import { spawnSync } from 'node:child_process'
import { mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FilmPeer, peerSizesAtFigures, similarity } from '../film-peers.ts'
import { type Bench, files, native } from '../harness.ts'

/** Returns an FFmpeg filter for a camera pan over a photograph, with noise. */
const pan = (size: string, format: string) =>
  `scale=4480:2520:force_original_aspect_ratio=increase,crop=3840:2160:x='300+280*sin(t*0.7)':y='160+150*cos(t*0.5)',scale=${size},noise=c0s=7:c0f=t+u,format=${format}`

const HLG = 'colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020nc'

interface Clip extends FilmPeer {
  readonly name: string
  readonly seconds: number
  readonly rate: number
  readonly size: string
  readonly coding: readonly string[]
}

/** Film formats of phones and screen recorders that Whittle's own engines cannot encode. */
const CLIPS: readonly Clip[] = [
  {
    name: '4k60.mp4',
    seconds: 1,
    rate: 60,
    size: '3840:2160',
    coding: ['-c:v', 'libx264', '-preset', 'superfast', '-b:v', '53M', '-bf', '0'],
    encoder: 'libx264',
    format: 'yuv420p',
    factors: [18, 21, 24, 27, 30, 33],
  },
  {
    name: 'hlg.mov',
    seconds: 2,
    rate: 30,
    size: '1920:1080',
    coding: ['-c:v', 'libx265', '-preset', 'ultrafast', '-tag:v', 'hvc1', '-x265-params', `log-level=error:bframes=0:bitrate=15000:${HLG}`],
    encoder: 'libx265',
    format: 'yuv420p10le',
    factors: [18, 22, 26, 30],
  },
  {
    name: 'av1.mp4',
    seconds: 2,
    rate: 30,
    size: '1280:720',
    coding: ['-c:v', 'libsvtav1', '-preset', '9', '-crf', '15'],
    encoder: 'libx265',
    format: 'yuv420p',
    factors: [18, 22, 26, 30],
  },
]

/**
 * Compares films encoded through the external FFmpeg with the same encoder called directly (one thread), at equal SSIM and equal PSNR
 * (luma, FFmpeg's filters). Whittle's CPU time includes the search for the rate factor, measuring and verification.
 */
export const bench: Bench = {
  title: 'Films beside a press at medium against libx264 and libx265 -preset medium at the same SSIM, and at the same PSNR',
  *rows(corpus) {
    const [photo] = files(join(corpus, 'image'), 'jpg').sort((a, b) => statSync(b).size - statSync(a).size)
    const folder = mkdtempSync(join(tmpdir(), 'bench-films-'))
    for (const clip of photo ? CLIPS : []) {
      const path = join(folder, clip.name)
      const out = join(folder, 'out', clip.name)
      const view = ['-vf', pan(clip.size, clip.format), ...clip.coding]
      const made = ['-v', 'error', '-nostdin', '-y', '-loop', '1', '-framerate', `${clip.rate}`, '-i', photo!, '-t', `${clip.seconds}`]
      if (spawnSync('ffmpeg', [...made, ...view, path]).status !== 0) continue
      const trying = ['--import', './tools/wasm-hook.ts', 'tools/try.ts', path, '--ffmpeg', '--memory', '1024', '-o', join(folder, 'out')]
      const ours = native(process.execPath, trying, out)
      const mine = ours && similarity(path, out, clip.format)
      if (!ours || !mine) continue
      const { ssim, psnr } = peerSizesAtFigures(path, mine, clip, folder)
      const peer = clip.encoder.slice(3)
      yield {
        name: `${clip.name} ssim ${mine.ssim.toFixed(4)} psnr ${mine.psnr.toFixed(1)}`,
        ours,
        peers: { [`${peer} medium, SSIM`]: ssim, [`${peer} medium, PSNR`]: psnr },
      }
    }
  },
}
