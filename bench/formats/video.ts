import { spawnSync } from 'node:child_process'
import { mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Bench, files, type Measured, native, ours } from '../harness.ts'

/** Rate factors of the peer; the size at our figures lies between two of them. */
const FACTORS = [16, 19, 22, 25, 28, 31, 34]

/**
 * x264's own program at its usual preset, one thread, sound copied, at the SSIM and at the PSNR our result has (luma, mean over the
 * frames, by FFmpeg's filters): bytes by linear interpolation of their logarithm, CPU of the next better run. Files that we
 * leave as they are, or only pack tighter, are left out.
 */
export const bench: Bench = {
  title: 'MP4, MOV, AVI at medium against libx264 -preset medium at the same SSIM, and at the same PSNR',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-video-'))
    for (const path of files(join(corpus, 'video'), 'mp4', 'mov', 'avi')) {
      const name = basename(path)
      const out = join(folder, name)
      const we = ours(path, { out: folder })
      const mine = we.outcome === 'compressed' ? similarity(path, out) : undefined
      if (!mine || mine.ssim > 0.9995) continue
      const runs = FACTORS.flatMap((factor) => {
        const target = join(folder, `${factor}-${name}`)
        const args = ['-v', 'error', '-nostdin', '-y', '-i', path, '-map', '0:v:0', '-map', '0:a?', '-c:a', 'copy', '-c:v', 'libx264']
        const run = native('ffmpeg', [...args, '-preset', 'medium', '-crf', `${factor}`, '-threads', '1', target], target)
        const figures = run ? similarity(path, target) : undefined
        return run && figures ? [{ run, ...figures }] : []
      })
      const peers = { 'x264 medium, SSIM': at(runs, 'ssim', mine.ssim), 'x264 medium, PSNR': at(runs, 'psnr', mine.psnr) }
      yield { name: `${name} ssim ${mine.ssim.toFixed(4)} psnr ${mine.psnr.toFixed(1)}`, ours: we, peers }
    }
  },
}

type Run = { run: Measured; ssim: number; psnr: number }

/** The peer's size where its figure equals ours; undefined when its runs do not reach that far. */
function at(runs: Run[], figure: 'ssim' | 'psnr', wanted: number): Measured | undefined {
  const sorted = [...runs].sort((a, b) => a[figure] - b[figure])
  const i = sorted.findIndex((run) => run[figure] >= wanted)
  const [worse, better] = [sorted[i - 1], sorted[i]]
  if (!worse || !better) return undefined
  const share = (wanted - worse[figure]) / (better[figure] - worse[figure])
  const bytes = Math.round(Math.exp(Math.log(worse.run.bytes) * (1 - share) + Math.log(better.run.bytes) * share))
  return { ...better.run, bytes }
}

/** Luma SSIM and PSNR of two films, frame by frame. */
function similarity(a: string, b: string): { ssim: number; psnr: number } | undefined {
  if (!statSync(b, { throwIfNoEntry: false })) return undefined
  const graph = '[0:v:0]format=yuv420p,setpts=N,split[p][q];[1:v:0]format=yuv420p,setpts=N,split[r][s];[r][p]ssim;[s][q]psnr'
  const done = spawnSync('ffmpeg', ['-hide_banner', '-nostdin', '-i', a, '-i', b, '-lavfi', graph, '-f', 'null', '-'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const ssim = /SSIM Y:([\d.]+)/.exec(done.stderr)?.[1]
  const psnr = /PSNR y:([\d.]+|inf)/.exec(done.stderr)?.[1]
  return ssim && psnr ? { ssim: Number(ssim), psnr: psnr === 'inf' ? 100 : Number(psnr) } : undefined
}
