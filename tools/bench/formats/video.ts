import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { peerSizesAtFigures, similarity } from '../film-peers.ts'
import { type Bench, files, ours } from '../harness.ts'

/** Constant rate factors of the peer. The interpolated size lies between two of them. */
const FACTORS = [16, 19, 22, 25, 28, 31, 34]

/**
 * Compares films with x264's usual preset (one thread, sound copied) at equal SSIM and at equal PSNR (luma, mean over the frames, FFmpeg's
 * filters). Bytes are interpolated logarithmically, and CPU time is that of the next better run. AVI is compared with AVI without
 * B-frames, as Whittle writes it. Files that stay unchanged or lossless are skipped.
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
      const { ssim, psnr } = peerSizesAtFigures(path, mine, { encoder: 'libx264', format: 'yuv420p', factors: FACTORS, avi }, folder)
      const peers = { 'x264 medium, SSIM': ssim, 'x264 medium, PSNR': psnr }
      const suffix = avi ? ', no B-frames' : ''
      yield { name: `${name}${suffix} ssim ${mine.ssim.toFixed(4)} psnr ${mine.psnr.toFixed(1)}`, ours: we, peers }
    }
  },
}
