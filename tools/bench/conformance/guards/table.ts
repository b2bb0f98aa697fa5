/** Guards that keep the promises of docs/contributors/promises.md, each with the edit that removes it. */

export interface Guard {
  /** What the guard does. First column of the table. */
  readonly name: string
  /** File with the guard, relative to the root. */
  readonly path: string
  /** Text that occurs exactly once in the file. */
  readonly find: string
  /** Text that replaces `find`, so that the guard is gone and the file still compiles. */
  readonly replace: string
  /** Test files that must notice, relative to the root. */
  readonly tests: readonly string[]
}

const PROMISES = ['test/core/pipeline/promises.test.ts']
const RUN = ['test/service/http/run-promises.test.ts']
const GENERATED = ['test/core/pipeline/generated.test.ts']
const POLICY = ['test/core/inventory/svg.test.ts', 'test/core/inventory/policy.test.ts']

type Edit = readonly [name: string, find: string, replace: string]

const guards = (path: string, tests: readonly string[], edits: readonly Edit[]): Guard[] =>
  edits.map(([name, find, replace]) => ({ name, path, find, replace, tests }))

export const GUARDS: readonly Guard[] = [
  ...guards('src/core/pipeline/compress.ts', PROMISES, [
    ['equal size is no gain', 'written >= size || written === 0', 'written > size || written === 0'],
    ['size check', 'written >= size || written === 0', 'written === 0'],
    ['empty result', 'written >= size || written === 0', 'written >= size'],
    ['SSIM floor', 'ssim >= FLOOR_SSIM && psnrDb >= FLOOR_PSNR_DB', 'psnrDb >= FLOOR_PSNR_DB'],
    ['PSNR floor', 'ssim >= FLOOR_SSIM && psnrDb >= FLOOR_PSNR_DB', 'ssim >= FLOOR_SSIM'],
    [
      'figures that are not numbers fail',
      'ssim >= FLOOR_SSIM && psnrDb >= FLOOR_PSNR_DB',
      '!(ssim < FLOOR_SSIM) && !(psnrDb < FLOOR_PSNR_DB)',
    ],
    ['SNR floor', 'sound.snrDb >= FLOOR_SNR_DB', 'true'],
    ['a loss has figures', "if (!sound) return message('loss_without_figures')", 'if (!sound) return undefined'],
    ['a lossless request gets no lossy result', '  if (lossless) return {', '  if (false as boolean && lossless) return {'],
    ['verify is called', 'return await codec.verify(source, result, outcome, options, evidence)', 'return { equal: true }'],
    [
      'verify reads the stored result',
      'codec.verify(source, result, outcome, options, evidence)',
      'codec.verify(source, source, outcome, options, evidence)',
    ],
    [
      'verify has the upload',
      'codec.verify(source, result, outcome, options, evidence)',
      'codec.verify(result, result, outcome, options, evidence)',
    ],
    ['the verdict is used', 'const accepted = verdict.equal\n', 'const accepted = verdict.equal || true\n'],
    ['abort is noticed after compress', '    options.signal.throwIfAborted()\n    const outcome = enforce', '    const outcome = enforce'],
    [
      'abort is noticed after the comparison of inventories',
      '    options.signal.throwIfAborted()\n    if (accepted.result === undefined)',
      '    if (accepted.result === undefined)',
    ],
    ['an error during an abort is no outcome', 'if (!expected || options.signal.aborted) throw error', 'if (!expected) throw error'],
    [
      'sink.abort after a rejected outcome',
      '      await sink.abort()\n      return { outcome, result: undefined }',
      '      return { outcome, result: undefined }',
    ],
    ['sink.abort after a failed verification', 'if (accepted.result === undefined) await sink.abort()', ''],
    ['sink.abort after an error', '    await sink.abort()\n    const expected', '    const expected'],
    [
      'an unreadable result is our defect',
      'return await codec.verify(source, result, outcome, options, evidence)',
      'return codec.verify(source, result, outcome, options, evidence)',
    ],
    [
      'a bug in verify is rethrown',
      "if (!trouble || trouble.outcome.reason === 'over_budget') throw error",
      "if (trouble?.outcome.reason === 'over_budget') throw error\n    if (!trouble) return { equal: false, difference: 'x' }",
    ],
    [
      'over_budget in verify stays over_budget',
      "if (!trouble || trouble.outcome.reason === 'over_budget') throw error",
      'if (!trouble) throw error',
    ],
    ['a failed verification is logged', '  defect: difference,\n', ''],
    ['gentler levels are tried', 'of FALLBACK_LEVELS[options.quality]) {', 'of [] as typeof options.quality[]) {'],
    ['a gentler level runs at its own quality', '{ ...options, quality })', 'options)'],
    ['only no_gain and below_floor try the next level', "reason === 'no_gain' || reason === 'below_floor'", 'reason !== undefined'],
    ['below_floor tries the next level', "reason === 'no_gain' || reason === 'below_floor'", "reason === 'no_gain'"],
    ['no_gain tries the next level', "reason === 'no_gain' || reason === 'below_floor'", "reason === 'below_floor'"],
    [
      'the first level that gains ends the search',
      "pressed.outcome.kind === 'compressed' || !mayGentlerLevelHelp(pressed.outcome.reason)",
      "pressed.outcome.kind === 'unchanged' && !mayGentlerLevelHelp(pressed.outcome.reason)",
    ],
    ['lossless formats have one level', "if (codec.format.fidelity === 'lossless') return pressed", ''],
    [
      'each level opens its own sink',
      '  let pressed = await compressAtLevel(codec, source, openSink, options)',
      '  const first = openSink()\n  openSink = () => first\n  let pressed = await compressAtLevel(codec, source, openSink, options)',
    ],
    ['a trap is an outcome', 'if (!(error instanceof WebAssembly.RuntimeError)) return undefined', 'return undefined'],
    ['a trap is logged', 'return { outcome, result: undefined, defect: `trap', 'return { outcome, result: undefined, other: `trap'],
    [
      'a bug is no outcome',
      'if (!(error instanceof WebAssembly.RuntimeError)) return undefined',
      'if (!(error instanceof Error)) return undefined',
    ],
    [
      'misuse of an engine is a bug',
      "if (!isEngineError(error) || error.failure === 'misuse') return undefined",
      'if (!isEngineError(error)) return undefined',
    ],
    [
      'an engine without memory is over_budget',
      "if (error.failure === 'memory' || error.failure === 'too_large')",
      "if (error.failure === 'too_large')",
    ],
    [
      'a file too large for an engine is over_budget',
      "if (error.failure === 'memory' || error.failure === 'too_large')",
      "if (error.failure === 'memory')",
    ],
    ['a variant that an engine lacks is unsupported', "if (error.failure === 'unsupported')", "if (error.failure === ('never' as string))"],
    ['suggestions must be smaller', 'suggestion.estimatedBytes < size', 'suggestion.estimatedBytes > 0'],
  ]),
  ...guards('src/core/pipeline/compress.ts', PROMISES, [
    ['the inventory is compared', "if (verdict.kind === 'lost') {", "if (verdict.kind === 'lost' && (false as boolean)) {"],
    [
      'a result that the inventory reader cannot read is rejected',
      "if (verdict.kind === 'unreadable') return rejected(verdict.difference)",
      "if (verdict.kind === 'unreadable') return { outcome, result }",
    ],
  ]),
  ...guards('src/core/inventory/check.ts', POLICY, [
    ['the policy of losses decides', "if (forbidden) return { kind: 'lost', loss: forbidden }", ''],
  ]),
  ...guards('src/core/catalog/level-order.ts', PROMISES, [
    ['low tries medium', "low: ['medium', 'high']", "low: ['high']"],
    ['medium tries high', "medium: ['high']", 'medium: []'],
    ['ultra tries low', "ultra: ['low', 'medium', 'high']", "ultra: ['medium', 'high']"],
    ['levels with the same target are tried once', '.filter((level) => pictureTarget(level) !== pictureTarget(quality))', '.slice()'],
  ]),
  ...guards('src/core/model/sink.ts', PROMISES, [
    ['limit of the sink in memory', 'if (written + chunk.length >= limit) throw noGain()', ''],
    ['a result as large as the limit is too large', 'written + chunk.length >= limit', 'written + chunk.length > limit'],
  ]),
  ...guards('src/core/pipeline/inner.ts', PROMISES, [
    [
      'embedded files are verified',
      "if (pressed.outcome.kind === 'unchanged') return { kind: 'unchanged', reason: pressed.outcome.reason }",
      '',
    ],
  ]),
  ...guards('src/service/store/blobs.ts', RUN, [
    ['limit of the sink in R2', 'if (this.#written + chunk.length >= this.#limit) throw noGain()', ''],
    ['a rejected result is deleted from R2', 'if (this.#stored) await this.#object.bucket.delete(this.#object.key)', ''],
    ['parts of a rejected result are aborted', '    await this.#upload?.abort()\n', ''],
  ]),
  ...guards('src/service/tasks/step-run.ts', RUN, [
    ['an unchanged result is the blob of the upload', 'key: pressed.result ? this.#resultKey : claim.uploadKey', 'key: this.#resultKey'],
    [
      'the result of a deleted task is deleted',
      'if (!accepted && stored.key !== claim.uploadKey) await',
      'if (!accepted && stored.key === claim.uploadKey) await',
    ],
  ]),
  ...guards('src/core/containers/zip/compare.ts', GENERATED, [
    ['entries of an archive are compared', 'if (difference) return different(', 'if (difference === undefined) return different('],
  ]),
  ...guards('src/core/containers/wrapper/wrapper.ts', GENERATED, [
    ['decoded bytes are compared (zst, br, gz)', 'if (at >= 0) return {', 'if (at >= 0 && (false as boolean)) return {'],
  ]),
  ...guards(
    'src/core/formats/pdf/images/images.ts',
    ['test/core/formats/pdf/ladder.test.ts'],
    [['`low` considers gentler levels (PDF)', '[this.goal.quality, ...gentlerLevelsOf(this.goal)]', '[this.goal.quality]']],
  ),
  ...guards(
    'src/core/formats/gif/gif.ts',
    ['test/core/formats/gif-levels.test.ts'],
    [['`low` considers gentler levels (GIF)', 'of paletteTargetsOf(options).toReversed()', 'of paletteTargetsOf(options).slice(-1)']],
  ),
]
