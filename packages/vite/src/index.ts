/** `@whittle-app/vite`: compresses the assets of a Vite or Rollup build. */
import { availableParallelism } from 'node:os'
import { createPool, type Pool, type Quality } from '../../core/src/index.ts'
import { ResultCache } from './cache.ts'
import { type AssetReport, summaryOf } from './report.ts'

export type { AssetReport } from './report.ts'

export interface WhittleOptions {
  /** File names of assets that are compressed. Default: pictures and PDFs. */
  readonly include?: RegExp
  /** File names that stay as they are. Default: none. */
  readonly exclude?: RegExp
  /** Default: `medium`. */
  readonly quality?: Quality
  /** Metadata to remove. Default: `keep`. */
  readonly metadata?: 'keep' | 'safe' | 'strip'
  /** Most assets at the same time. Default: one per core. */
  readonly threads?: number
  /** Folder of earlier results. `false`: none. Default: `node_modules/.cache/whittle`. */
  readonly cache?: string | false
  /** Called after each build with one row an asset. Default: only a summary is printed. */
  readonly onReport?: (rows: readonly AssetReport[]) => void
}

/** An asset of a build, as far as it is used. */
interface OutputFile {
  readonly type: 'asset' | 'chunk'
  readonly fileName: string
  source?: string | Uint8Array
}

/** Context of a hook, as far as it is used. */
interface HookContext {
  info(message: string): void
  warn(message: string): void
}

/** A plugin for Vite 5 and Rollup 4 or newer. */
export interface WhittlePlugin {
  readonly name: 'whittle'
  readonly apply: 'build'
  readonly enforce: 'post'
  generateBundle(this: HookContext, options: unknown, bundle: Readonly<Record<string, OutputFile>>): Promise<void>
}

const PICTURES_AND_DOCUMENTS = /\.(?:jpe?g|png|gif|webp|bmp|svg|tiff?|pdf)$/i

/**
 * Returns the plugin. Each asset keeps its name and its format. An asset that cannot be made smaller, or is damaged, stays as it is.
 *
 * ```ts
 * export default defineConfig({ plugins: [whittle({ quality: 'high' })] })
 * ```
 */
export function whittle(options: WhittleOptions = {}): WhittlePlugin {
  const { include = PICTURES_AND_DOCUMENTS, exclude, threads = availableParallelism(), quality = 'medium', metadata = 'keep' } = options
  const folder = options.cache ?? 'node_modules/.cache/whittle'
  const settings = { quality, metadata }
  return {
    name: 'whittle',
    apply: 'build',
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const wanted = ({ type, fileName }: OutputFile) => type === 'asset' && include.test(fileName) && !exclude?.test(fileName)
      const queue = Object.values(bundle).filter(wanted)
      if (queue.length === 0) return
      const startedMs = performance.now()
      const rows: AssetReport[] = []
      const cache = folder === false ? undefined : new ResultCache(folder, settings)
      const pool = createPool({ threads })
      const work = async () => {
        for (let asset = queue.shift(); asset; asset = queue.shift()) rows.push(await replaced(asset, pool, settings, cache))
      }
      try {
        await Promise.all(Array.from({ length: threads }, work))
      } finally {
        await pool.close()
      }
      rows.sort((a, b) => a.file.localeCompare(b.file))
      for (const { file, error } of rows) if (error !== undefined) this.warn(`${file} stays as it is: ${error}`)
      this.info(summaryOf(rows, performance.now() - startedMs))
      options.onReport?.(rows)
    },
  }
}

/** Compresses an asset and replaces its content, if the result is smaller. */
async function replaced(
  asset: OutputFile,
  pool: Pool,
  settings: { readonly quality: Quality; readonly metadata: 'keep' | 'safe' | 'strip' },
  cache: ResultCache | undefined,
): Promise<AssetReport> {
  const { fileName: file, source = '' } = asset
  const bytes = typeof source === 'string' ? new TextEncoder().encode(source) : source
  const row = { file, originalSize: bytes.length }
  const known = cache?.read(bytes)
  if (known) {
    if (known.length > 0) asset.source = known
    return { ...row, size: known.length || bytes.length, isCached: true }
  }
  try {
    const { metadata, ...rest } = settings
    const options = metadata === 'keep' ? rest : settings
    const { bytes: result, receipt } = await pool.compress(bytes, { ...options, name: file })
    const isSmaller = receipt.result.outcome === 'compressed' && receipt.output_format === receipt.format
    if (isSmaller) asset.source = result
    cache?.write(bytes, isSmaller ? result : undefined)
    return { ...row, size: isSmaller ? result.length : bytes.length, isCached: false }
  } catch (error) {
    return { ...row, size: bytes.length, isCached: false, error: error instanceof Error ? error.message : String(error) }
  }
}
