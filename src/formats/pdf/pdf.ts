import type { Codec, Options, Outcome, Sink, Source, Verdict } from '../../codec/codec.ts'
import { openDocument } from './document.ts'
import { findDuplicates } from './duplicates.ts'
import { PDF } from './format.ts'
import { nameOf, Stream } from './objects.ts'
import { Reader } from './reader.ts'
import { Rewriter } from './rewrite.ts'
import { keepAt } from './trim.ts'
import { verifyGraphs } from './verify.ts'
import { Writer } from './writer.ts'

/** PDF: object for object, so that nothing a document has gets lost; see `docs/design/pdf.md`. */
export const pdf: Codec = {
  format: PDF,

  async compress(source: Source, sink: Sink, options: Options): Promise<Outcome> {
    const document = await openDocument(source, options)
    if ('kind' in document) return document
    const { reader, reach } = document
    const twins = await findDuplicates(reader, reach.streams, options.signal)
    // XMP stays readable for tools that search files for it (14.3.2).
    const verbatim = new Set<number>()
    for (const number of reach.streams) {
      const stream = await reader.get(number)
      if (stream instanceof Stream && nameOf(stream.dict.get('Type')) === 'Metadata') verbatim.add(number)
    }
    const writer = new Writer(sink, !document.classic)
    await new Rewriter(reader, writer, {
      reach,
      twins,
      keep: keepAt(options.quality),
      transforms: [],
      verbatim,
      signal: options.signal,
      progress: options.progress,
    }).run()
    const steps = ['streams deflated again']
    if (writer.compact) steps.push('objects packed')
    if (twins.merged > 0) steps.push(`${twins.merged} duplicates merged`)
    return { kind: 'compressed', fidelity: 'lossless', steps }
  },

  async verify(original: Source, result: Source, _outcome: Outcome, options: Options): Promise<Verdict> {
    const [a, b] = [await Reader.open(original), await Reader.open(result)]
    if (b.repaired) return { equal: false, difference: 'the result has no readable cross-reference table' }
    const no = async () => 'changed'
    return verifyGraphs(a, b, { image: no, font: no, toUnicode: no }, options.signal)
  },
}
