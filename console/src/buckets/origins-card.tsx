/** Origins of pictures on the fly: list and deletion. */
import { useState } from 'preact/hooks'
import { guide } from '../../../site/src/links.ts'
import { call } from '../api.ts'
import { t } from '../language.ts'
import { Card, ConfirmDialog, CopyButton, Empty, For, Loading, message, Problem, useLoaded } from '../parts.tsx'
import { type ImageOrigin, placeText } from './types.ts'

export function OriginsCard() {
  const { value, error, reload, setError } = useLoaded(() => call<{ image_origins: ImageOrigin[] }>('GET', '/v1/image-origins'))
  const [doomed, setDoomed] = useState<string>()
  const remove = async (name: string) => {
    setDoomed(undefined)
    try {
      await call('DELETE', `/v1/image-origins/${name}`)
      await reload()
    } catch (problem) {
      setError(message(problem))
    }
  }
  if (!value) return <Loading error={error} />
  const { image_origins: origins } = value
  const help = <a href={guide('/docs/pictures')}>{t('How to use them')}</a>
  return (
    <Card title={t('Pictures on the fly')} sub={t('Places that signed addresses may show small pictures of.')} end={help}>
      <Problem error={error} />
      {origins.length === 0 ? (
        <Empty icon="image" title={t('No origins yet')} text={t('Programs allow an origin with PUT /v1/image-origins.')} />
      ) : (
        <OriginTable origins={origins} onRemove={setDoomed} />
      )}
      {doomed !== undefined && (
        <ConfirmDialog
          title={t('Delete {name}?', { name: doomed })}
          text={t('Addresses of its pictures stop working at once, and what was made of them is deleted.')}
          action={t('Delete')}
          isDanger
          onConfirm={() => void remove(doomed)}
          onClose={() => setDoomed(undefined)}
        />
      )}
    </Card>
  )
}

const OriginTable = ({ origins, onRemove }: { origins: readonly ImageOrigin[]; onRemove: (name: string) => void }) => (
  <table class="table">
    <thead>
      <tr>
        <th scope="col">{t('Name')}</th>
        <th scope="col">{t('Pictures from')}</th>
        <th scope="col">{t('Image key')}</th>
        <td />
      </tr>
    </thead>
    <tbody>
      {origins.map(({ name, origin, bucket, image_key }) => (
        <tr key={name}>
          <th scope="row">
            <b>{name}</b>
          </th>
          <td class="breaks" data-label={t('Pictures from')}>
            {origin ?? (bucket && placeText(bucket))}
          </td>
          <td data-label={t('Image key')}>
            <code class="mono faint breaks">{image_key}</code>
          </td>
          <td class="acts">
            <span class="acts__in">
              <CopyButton text={image_key} />
              <For atLeast="member">
                <button
                  type="button"
                  class="btn btn--quiet btn--sm btn--danger"
                  aria-label={t('Delete {name}', { name })}
                  onClick={() => onRemove(name)}
                >
                  {t('Delete')}
                </button>
              </For>
            </span>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
