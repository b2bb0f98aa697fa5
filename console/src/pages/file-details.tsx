/** Details of a file: comparison, receipt, other formats, and how to do the same with the API. */
import { useEffect, useState } from 'preact/hooks'
import { Viewer } from '../../../site/src/desk/viewer.tsx'
import type { Compressed, FormatId, Settings } from '../../../site/src/model/protocol.ts'
import { outputTitle } from '../../../site/src/model/settings.ts'
import { CodeSamples } from '../../../site/src/parts/code.tsx'
import { resultOf, type Task } from '../api.ts'
import { type Attempt, retry } from '../attempts.ts'
import { t } from '../language.ts'
import { ComparePlayed } from '../played.tsx'
import { ReceiptCard, receiptOf } from '../receipt.tsx'
import { outputsFor } from '../wishes.ts'

export function FileDetails({ attempt }: { attempt: Attempt }) {
  const { state, task, file, wishes, name } = attempt
  const done = state === 'done' ? task : undefined
  const isCompared = done?.result?.outcome === 'compressed' && file !== undefined && !wishes['password']
  return (
    <div class="open">
      {done && (
        <div class={isCompared ? 'open__grid' : 'open__grid open__grid--one'}>
          {isCompared && file && <Compared file={file} task={done} />}
          <ReceiptCard task={done} file={file} />
        </div>
      )}
      {file && (state === 'done' || state === 'failed') && <OtherFormat attempt={attempt} />}
      <div class="open__code">
        <h3>{t('The same with the API')}</h3>
        <CodeSamples id={`code-${attempt.id}`} name={name} output={done?.output_name ?? name} settings={settingsOf(wishes)} />
      </div>
    </div>
  )
}

function settingsOf(wishes: Attempt['wishes']): Settings {
  const { quality = 'medium', format, target_size: target } = wishes
  return {
    quality: quality as Settings['quality'],
    metadata: 'keep',
    ...(format && { output: format }),
    ...(target && { targetSize: Number(target) }),
  }
}

/** The file and its result: pictures and pages on top of each other, sound and films in sync. */
function Compared({ file, task }: { file: File; task: Task }) {
  const [result, setResult] = useState<Compressed>()
  const isPlayed = /^(audio|video)\//.test(file.type)
  useEffect(() => {
    if (isPlayed) return
    let isGone = false
    resultOf(task).then(
      (blob) =>
        !isGone && setResult({ type: 'compressed', result: blob, name: task.output_name ?? '', receipt: receiptOf(task), usedMore: false }),
      () => undefined,
    )
    return () => {
      isGone = true
    }
  }, [task.task_id])
  return (
    <div class="open__left">
      {isPlayed ? <ComparePlayed file={file} task={task} /> : <Viewer file={file} format={task.format as FormatId} result={result} />}
    </div>
  )
}

/** Sends the file again in another format that fits it. */
function OtherFormat({ attempt }: { attempt: Attempt }) {
  const [format, setFormat] = useState('')
  const outputs = outputsFor([attempt.name]).filter((output) => output !== attempt.task?.output_format)
  if (outputs.length === 0) return null
  return (
    <div class="row other">
      <label class="field">
        <span class="lab">{t('Another format')}</span>
        <select class="select" value={format} onChange={(event) => setFormat(event.currentTarget.value)}>
          <option value="">{t('Choose')}</option>
          {outputs.map((output) => (
            <option key={output} value={output}>
              {outputTitle(output)}
            </option>
          ))}
        </select>
      </label>
      <button type="button" class="btn" disabled={format === ''} onClick={() => retry(attempt, { format })}>
        {t('Compress again')}
      </button>
    </div>
  )
}
