/** Compression levels of the wrappers by file size and effort. */
import { brotliQuality } from '../../bytes/brotli.ts'
import { type GzipMethod, gzipMethod } from '../../bytes/gzip.ts'
import { zstdLevel } from '../../bytes/zstd.ts'
import type { Effort } from '../../catalog/effort.ts'

const MB = 1_000_000

/** Highest zstd level at the effort `fast`. */
const FAST_ZSTD_LEVEL = 16
/** Largest file in bytes that the effort `best` compresses at zstd level 22, at about 1 MB a CPU second. */
const BEST_ZSTD_BYTES = 64 * MB
/** Highest Brotli quality at the effort `fast`. */
const FAST_BROTLI_QUALITY = 10
/** Largest file in bytes that the effort `best` compresses at Brotli quality 11, at about 0.7 MB a CPU second. */
const BEST_BROTLI_BYTES = 250 * MB
/** libdeflate's level at the effort `fast`, at about 20 MB a CPU second. */
const FAST_GZIP_LEVEL = 9
/** Largest file in bytes that the effort `best` parses optimally, at 1 MB a CPU second and in 85 MB of memory. */
const BEST_GZIP_BYTES = 16 << 20

/** Returns the zstd level for a file of this size. */
export function zstdLevelOf(bytes: number, effort: Effort): number {
  if (effort === 'fast') return Math.min(FAST_ZSTD_LEVEL, zstdLevel(bytes))
  return effort === 'best' && bytes <= BEST_ZSTD_BYTES ? 22 : zstdLevel(bytes)
}

/** Returns the Brotli quality for a file of this size. */
export function brotliQualityOf(bytes: number, effort: Effort): number {
  if (effort === 'fast') return Math.min(FAST_BROTLI_QUALITY, brotliQuality(bytes))
  return effort === 'best' && bytes <= BEST_BROTLI_BYTES ? 11 : brotliQuality(bytes)
}

/** Returns the Deflate method for a file of this size. */
export function gzipMethodOf(bytes: number, effort: Effort): GzipMethod {
  if (effort === 'fast') return FAST_GZIP_LEVEL
  return effort === 'best' && bytes <= BEST_GZIP_BYTES ? 'optimal' : gzipMethod(bytes)
}
