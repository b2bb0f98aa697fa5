/** Measures films encoded by FFmpeg at the figures of Whittle's result. */
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Measured, native } from './harness.ts'

/** Luma figures, mean over the frames, by FFmpeg's filters. */
export interface FilmSimilarity {
  readonly ssim: number
  readonly psnr: number
}

export interface FilmPeer {
  readonly encoder: 'libx264' | 'libx265'
  /** Pixel format in FFmpeg's notation, for encoding and comparison. */
  readonly format: 'yuv420p' | 'yuv420p10le'
  readonly factors: readonly number[]
  /** True for AVI, which has no frame times, so B-frames are off (`-bf 0`). Default: false. */
  readonly avi?: boolean
}

/** Encodes with `-preset medium` (one thread, sound copied) and returns the interpolated size at Whittle's SSIM and at its PSNR. */
export function peerSizesAtFigures(
  path: string,
  whittleFigures: FilmSimilarity,
  { encoder, format, factors, avi = false }: FilmPeer,
  folder: string,
) {
  const ordered = avi ? ['-bf', '0'] : []
  const single = encoder === 'libx265' ? ['-x265-params', 'log-level=error:pools=none:frame-threads=1'] : []
  const runs = factors.flatMap((factor) => {
    const target = join(folder, `peer-${factor}.${avi ? 'avi' : 'mov'}`)
    const args = ['-v', 'error', '-nostdin', '-y', '-i', path, '-map', '0:v:0', '-map', '0:a?', '-c:a', 'copy', '-c:v', encoder]
    const coding = [
      '-preset',
      'medium',
      '-crf',
      `${factor}`,
      '-pix_fmt',
      format,
      '-fps_mode',
      'passthrough',
      ...ordered,
      ...single,
      '-threads',
      '1',
    ]
    const run = native('ffmpeg', [...args, ...coding, target], target)
    const figures = run ? similarity(path, target, format) : undefined
    return run && figures ? [{ run, ...figures }] : []
  })
  return { ssim: at(runs, 'ssim', whittleFigures.ssim), psnr: at(runs, 'psnr', whittleFigures.psnr) }
}

type Run = FilmSimilarity & { readonly run: Measured }

/** Returns the peer's interpolated size at the wanted figure. `undefined`: its results do not reach it. */
function at(runs: Run[], figure: 'ssim' | 'psnr', wanted: number): Measured | undefined {
  const sorted = [...runs].sort((a, b) => a[figure] - b[figure])
  const i = sorted.findIndex((run) => run[figure] >= wanted)
  const [worse, better] = [sorted[i - 1], sorted[i]]
  if (!worse || !better) return undefined
  const share = (wanted - worse[figure]) / (better[figure] - worse[figure])
  const bytes = Math.round(Math.exp(Math.log(worse.run.bytes) * (1 - share) + Math.log(better.run.bytes) * share))
  return { ...better.run, bytes }
}

/** Returns luma SSIM and PSNR of two films, compared frame by frame in order. `undefined`: `b` does not exist or cannot be compared. */
export function similarity(a: string, b: string, format: FilmPeer['format'] = 'yuv420p'): FilmSimilarity | undefined {
  if (!statSync(b, { throwIfNoEntry: false })) return undefined
  // FFmpeg pairs frames by time, but containers use different time bases, so the filter renumbers the frames.
  const counted = `format=${format},settb=1/25,setpts=N`
  const graph = `[0:v:0]${counted},split[p][q];[1:v:0]${counted},split[r][s];[r][p]ssim;[s][q]psnr`
  const done = spawnSync('ffmpeg', ['-hide_banner', '-nostdin', '-i', a, '-i', b, '-lavfi', graph, '-f', 'null', '-'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const ssim = /SSIM Y:([\d.]+)/.exec(done.stderr)?.[1]
  const psnr = /PSNR y:([\d.]+|inf)/.exec(done.stderr)?.[1]
  return ssim && psnr ? { ssim: Number(ssim), psnr: psnr === 'inf' ? 100 : Number(psnr) } : undefined
}
