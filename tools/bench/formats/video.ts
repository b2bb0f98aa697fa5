import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { atOurFigures, similarity } from '../film-peers.ts'
import { type Bench, files, ours } from '../harness.ts'

/** Rate factors of the peer; the size at our figures lies between two of them. */
const FACTORS = [16, 19, 22, 25, 28, 31, 34]

/**
 * x264's own program at its usual preset, one thread, sound copied, at the SSIM and at the PSNR our result has (luma, mean over the
 * frames, by FFmpeg's filters): bytes by linear interpolation of their logarithm, CPU of the next better run. AVI is compared with AVI, where
 * a chunk's place is its time: the peer makes no B-frames there, as we make none. Files that we leave as they are, or only pack tighter, are
 * left out.
 */
export const bench: Bench = {
  title: 'MP4, MOV, AVI at medium against libx264 -preset medium (AVI: -bf 0) at the same SSIM, and at the same PSNR',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-video-'))
    for (const path of files(join(corpus, 'video'), 'mp4', 'mov', 'avi')) {
      const name = basename(path)
      const out = join(folder, name)
      const we = ours(path, { out: folder })
      const mine = we.outcome === 'compressed' ? similarity(path, out) : undefined
      if (!mine || mine.ssim > 0.9995) continue
      const avi = path.endsWith('.avi')
      const { ssim, psnr } = atOurFigures(path, mine, { encoder: 'libx264', format: 'yuv420p', factors: FACTORS, avi }, folder)
      const peers = { 'x264 medium, SSIM': ssim, 'x264 medium, PSNR': psnr }
      const held = avi ? ', no B-frames' : ''
      yield { name: `${name}${held} ssim ${mine.ssim.toFixed(4)} psnr ${mine.psnr.toFixed(1)}`, ours: we, peers }
    }
  },
}
