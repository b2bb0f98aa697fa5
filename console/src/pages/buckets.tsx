/** Buckets: connections, syncs between them, and origins of pictures on the fly. */
import { call, isAtLeast } from '../api.ts'
import { ConnectionsCard } from '../buckets/connections-card.tsx'
import { OriginsCard } from '../buckets/origins-card.tsx'
import { SyncsCard } from '../buckets/syncs-card.tsx'
import type { Connection } from '../buckets/types.ts'
import { useLoaded } from '../parts.tsx'
import type { PageProps } from './compress.tsx'

export function BucketsPage({ me }: PageProps) {
  const { value, error, reload } = useLoaded(() => call<{ connections: Connection[] }>('GET', '/v1/connections'))
  const mayChange = me.isKey === true || isAtLeast(me.role, 'admin')
  return (
    <div class="stack">
      <ConnectionsCard connections={value?.connections} {...{ error, reload, mayChange }} />
      <SyncsCard connections={value?.connections} />
      <OriginsCard />
    </div>
  )
}
