import { compressWrapped, isWrapper, verifyWrapped } from '../../../../containers/wrapper/wrapper.ts'
import type { SegmentedCodec } from '../../../../model/segmented.ts'

/** Adds the outputs that pack the whole file to a conversion. */
export const orPacked = (conversion: Omit<SegmentedCodec, 'format'>): Omit<SegmentedCodec, 'format'> => ({
  ...conversion,
  compress: (source, sink, options) =>
    isWrapper(options.output) ? compressWrapped(source, sink, options) : conversion.compress(source, sink, options),
  plan: async (source, options) => (isWrapper(options.output) ? { kind: 'whole' } : await conversion.plan(source, options)),
  verify: (original, result, outcome, options) =>
    isWrapper(options.output) ? verifyWrapped(original, result, options) : conversion.verify(original, result, outcome, options),
})
