/** Tables of the usage page. On a phone, a row is a labelled card. */
import { outputTitle } from '../../../site/src/model/settings.ts'
import type { CallsOfKey, Usage } from '../api.ts'
import { bytes, countText, savedPercent, t } from '../language.ts'
import { Bar } from '../parts.tsx'

export function KeyTable({ keys, all }: { keys: readonly CallsOfKey[]; all: number }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">{t('Key')}</th>
          <th scope="col">{t('Application')}</th>
          <th scope="col">{t('API calls')}</th>
        </tr>
      </thead>
      <tbody>
        {keys.map(({ key_id, masked, name, application, api_calls }) => (
          <tr key={key_id ?? 'console'}>
            <th scope="row">
              {masked ? (
                <>
                  {name && <b>{name}</b>} <code class="mono faint">{masked}</code>
                </>
              ) : (
                t('Console')
              )}
            </th>
            <td data-label={t('Application')}>{application ?? (masked ? t('removed') : '–')}</td>
            <td data-label={t('API calls')}>
              <span class="share">
                <span class="num">{countText(api_calls)}</span>
                <Bar share={api_calls / Math.max(1, all)} isThin />
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function FormatTable({ formats }: { formats: Usage['by_format'] }) {
  const largestFirst = Object.entries(formats).sort(([, a], [, b]) => b.original_size - a.original_size)
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">{t('Format')}</th>
          <th scope="col" class="r">
            {t('Tasks')}
          </th>
          <th scope="col" class="r">
            {t('Bytes in')}
          </th>
          <th scope="col" class="r">
            {t('Bytes out')}
          </th>
          <th scope="col" class="r">
            {t('Saved')}
          </th>
        </tr>
      </thead>
      <tbody>
        {largestFirst.map(([format, sums]) => (
          <tr key={format}>
            <th scope="row">{outputTitle(format)}</th>
            <td class="r" data-label={t('Tasks')}>
              {countText(sums.tasks)}
            </td>
            <td class="r nowrap" data-label={t('Bytes in')}>
              {bytes(sums.original_size)}
            </td>
            <td class="r nowrap" data-label={t('Bytes out')}>
              {bytes(sums.compressed_size)}
            </td>
            <td class="r saved" data-label={t('Saved')}>
              {savedPercent(sums.original_size, sums.compressed_size)} %
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
