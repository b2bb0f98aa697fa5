/** Module worker: runs the library over one file at a time. The page starts it when the first file arrives. */
import { type OutputId, outputFacts } from '../../src/core/catalog/outputs.ts'
import { type CompressOptions, compress, identify, TargetUnreachable, verify } from '../../src/core/index.ts'
import type { Answer, Asked, Question, Told } from './model/protocol.ts'

/** Memory budget in bytes of a job that did not fit into the usual one. */
const ROOMY_BYTES = 512 * 1024 * 1024
/** Least difference between two reported shares. */
const PROGRESS_STEP = 0.005

type CompressQuestion = Extract<Question, { type: 'compress' }>

const tell = (told: Told) => postMessage(told)

addEventListener('message', async ({ data: { id, question } }: MessageEvent<Asked>) => {
  tell({ id, answer: await answerTo(question, progressOf(id)).catch(refused) })
})

function progressOf(id: number): (share: number) => void {
  let last = 0
  return (share) => {
    if (share - last < PROGRESS_STEP) return
    last = share
    tell({ id, share })
  }
}

async function answerTo(question: Question, onProgress: (share: number) => void): Promise<Answer> {
  if (question.type === 'identify') return { type: 'identified', format: (await identify(question.file))?.id }
  if (question.type === 'verify') {
    const { findings } = await verify(question.file, question.result, question.receipt)
    return { type: 'verified', findings }
  }
  return compressed(question, onProgress)
}

async function compressed({ file, settings, language, isRoomy }: CompressQuestion, onProgress: (share: number) => void): Promise<Answer> {
  const { quality, output, targetSize, metadata } = settings
  const usual: CompressOptions = {
    quality,
    metadata,
    onProgress,
    ...(output !== undefined && { output }),
    ...(targetSize !== undefined && { targetSize }),
    ...(language === 'zh' && { text: await chineseText() }),
  }
  try {
    let usedMore = false
    let done = await compress(file, usual)
    if (isRoomy && done.receipt.result.reason === 'over_budget') {
      usedMore = true
      done = await compress(file, { ...usual, memoryBudget: ROOMY_BYTES })
    }
    return { type: 'compressed', result: await blobOf(done, file), name: done.name, receipt: done.receipt, usedMore }
  } catch (error) {
    if (error instanceof TargetUnreachable) return { type: 'unreachable', bestSize: error.bestSize }
    throw error
  }
}

/** The result with its media type, so that the page can show it. An unchanged file is not copied. */
async function blobOf({ result, receipt }: Awaited<ReturnType<typeof compress>>, file: File): Promise<Blob> {
  if (receipt.result.outcome === 'unchanged') return file
  const whole = await new Response(result.stream()).blob()
  return whole.slice(0, whole.size, outputFacts(receipt.output_format as OutputId).mediaType)
}

async function chineseText() {
  const [{ renderMessage }, { ZH }, { EN }] = await Promise.all([
    import('../../src/core/i18n/text.ts'),
    import('../../src/core/i18n/zh.ts'),
    import('../../src/core/i18n/en.ts'),
  ])
  return (message: Parameters<typeof renderMessage>[0]) => renderMessage(message, ZH, EN)
}

/** Code and engines come from the network or the cache of the service worker. If both fail, the browser is offline. */
function refused(error: unknown): Answer {
  const text = error instanceof Error ? error.message : String(error)
  const isLoading = error instanceof TypeError && /fetch|import|load/i.test(text)
  return { type: 'refused', why: isLoading || /cannot be loaded/.test(text) ? 'offline' : 'error', text }
}
