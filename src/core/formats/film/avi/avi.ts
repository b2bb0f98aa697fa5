/**
 * Codec for AVI. Encodes pictures as H.264 and uncompressed sound as MP3, copies the rest, and drops unused space. Can also write MP4 or
 * QuickTime.
 */
import { sumOf } from '../../../bytes/compact-array.ts'
import { AVI } from '../../../catalog/formats/film.ts'
import type { Outcome, Verdict } from '../../../model/codec.ts'
import type { SegmentedCodec, SegmentPlan } from '../../../model/segmented.ts'
import { jobPlanOf } from '../analyse.ts'
import { writeUnchangedPictures } from '../part-file.ts'
import { isNotShrinking, isPicturePart } from '../single-message.ts'
import { partsOf, probeJob, readJob } from './job.ts'
import { runAll, runPart } from './parts.ts'
import { joinAvi } from './to-avi.ts'
import { joinMovie } from './to-movie.ts'
import { verifyAvi, verifyMovie } from './verify.ts'

export const avi: SegmentedCodec = {
  format: AVI,

  async compress(source, sink, options): Promise<Outcome> {
    const job = await probeJob(source, await readJob(source, options), options)
    const parts = await runAll(source, job, options)
    return options.output === 'avi' ? joinAvi(source, job, parts, sink, options) : joinMovie(source, job, parts, sink, options)
  },

  async plan(source, options): Promise<SegmentPlan> {
    const job = await probeJob(source, await readJob(source, options), options)
    return jobPlanOf(source, job.cpuSeconds, await partsOf(source, job))
  },

  async compressPart(source, part, sink, options, soFar) {
    const job = await readJob(source, options)
    const sizes = options.output === 'avi' ? job.pictures?.track.samples.size : undefined
    if (sizes && isPicturePart(part) && isNotShrinking(soFar, sumOf(sizes))) return writeUnchangedPictures(sink)
    return runPart(source, job, part, sink, options)
  },

  async join(source, parts, sink, options): Promise<Outcome> {
    const job = await readJob(source, options)
    return options.output === 'avi' ? joinAvi(source, job, parts, sink, options) : joinMovie(source, job, parts, sink, options)
  },

  async verify(original, result, outcome, options): Promise<Verdict> {
    return options.output === 'avi' ? verifyAvi(original, result, outcome, options) : verifyMovie(original, result, outcome, options)
  },
}
