/** Limits of the plan, and what is used of them. */
import type { Me, Usage } from '../api.ts'
import { bytes, countText, keptFor, t } from '../language.ts'
import { Bar, Card } from '../parts.tsx'

export function LimitsCard({ usage, me }: { usage: Usage; me: Me }) {
  const { limits } = me
  const { storage_used: used, storage_quota: quota, cpu_seconds: cpu, cpu_seconds_quota: cpuQuota } = usage
  const facts: readonly (readonly [string, string | undefined])[] = [
    [t('Largest file'), limits && bytes(limits.max_file_bytes)],
    [t('Requests per minute'), limits?.requests_per_minute == null ? t('unlimited') : countText(limits.requests_per_minute)],
    [t('Files in a batch'), limits?.max_batch_files === undefined ? undefined : countText(limits.max_batch_files)],
    [t('Results are kept'), limits?.retention_seconds === undefined ? undefined : keptFor(limits.retention_seconds)],
  ]
  return (
    <Card title={t('Limits')} end={<span class="badge">{t('{plan} plan', { plan: me.account.plan })}</span>}>
      <div class="card__body">
        <Limit
          name={t('Storage')}
          text={t('{used} of {quota}', { used: bytes(used), quota: bytes(quota) })}
          share={used / Math.max(1, quota)}
        />
        {cpuQuota !== null && <Limit name={t('CPU time')} text={cpuText(cpu, cpuQuota)} share={cpu / Math.max(1, cpuQuota)} />}
        <dl class="kept limits__facts">
          {facts.map(
            ([name, value]) =>
              value !== undefined && (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ),
          )}
        </dl>
      </div>
    </Card>
  )
}

const seconds = (count: number) => t('{count} s', { count: countText(count) })

/** CPU time of a month, with its quota if there is one. */
export const cpuText = (used: number, quota: number | null) =>
  quota === null ? seconds(used) : t('{used} of {quota}', { used: seconds(used), quota: seconds(quota) })

/** Share from which a limit is nearly reached. */
const NEARLY = 0.8

function Limit({ name, text, share }: { name: string; text: string; share: number }) {
  return (
    <div class={share > NEARLY ? 'limit limit--nearly' : 'limit'}>
      <p class="limit__l">
        <b>{name}</b>
        <span>{text}</span>
      </p>
      <Bar share={share} isThin />
      {share > NEARLY && <p class="small limit__warn">{t('nearly full')}</p>}
    </div>
  )
}
