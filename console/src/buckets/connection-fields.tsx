/** Fields of a connection, by service. */
import { useState } from 'preact/hooks'
import { t } from '../language.ts'
import { bucketOf, type ServiceId, serviceOf } from './services.ts'
import type { Connection } from './types.ts'

interface FieldsProps {
  readonly service: ServiceId
  readonly of: Connection | undefined
}

export function ConnectionFields({ service, of }: FieldsProps) {
  // Values of another service do not fit.
  const known = of && serviceOf(of).service === service ? of : undefined
  const place = known ? serviceOf(known).place : ''
  return (
    <>
      <PlaceFields service={service} place={place} known={known} />
      <Text
        name="bucket"
        label={t(service === 'azure' ? 'Container' : 'Bucket')}
        value={known ? bucketOf(known) : ''}
        placeholder="photos"
      />
      {service === 'azure' ? <AzureCredentials known={known} account={place} /> : <Keys service={service} />}
    </>
  )
}

interface TextProps {
  readonly name: string
  readonly label: string
  readonly value?: string
  readonly placeholder?: string
  readonly isSecret?: boolean
  readonly isOptional?: boolean
}

function Text({ name, label, value = '', placeholder = '', isSecret = false, isOptional = false }: TextProps) {
  const common = { name, placeholder, required: !isOptional, defaultValue: value, spellcheck: false, autoCapitalize: 'none' } as const
  const kind = isSecret ? ({ type: 'password', autoComplete: 'new-password' } as const) : ({ autoComplete: 'off' } as const)
  return (
    <label class="field">
      <span class="lab">
        {label}
        {isOptional && ` (${t('optional')})`}
      </span>
      <input class="input" {...common} {...kind} />
    </label>
  )
}

function PlaceFields({ service, place, known }: { service: ServiceId; place: string; known: Connection | undefined }) {
  switch (service) {
    case 'aws':
      return <Text name="place" label={t('Region')} value={place} placeholder="eu-central-1" />
    case 'b2':
      return <Text name="place" label={t('Region')} value={place} placeholder="us-west-004" />
    case 'r2':
      return <Text name="place" label={t('Account ID')} value={place} placeholder="0123456789abcdef0123456789abcdef" />
    case 'azure':
      return <Text name="place" label={t('Storage account')} value={place} placeholder="shop" />
    case 'gcs':
      return null
    case 'other':
      return (
        <>
          <Text name="place" label={t('Endpoint')} value={place} placeholder="https://minio.example.com" />
          <Text name="region" label={t('Region')} value={known?.type === 's3' ? known.region : ''} placeholder="us-east-1" isOptional />
          <label class="check">
            <input type="checkbox" name="path_style" defaultChecked={known?.type !== 's3' || known.path_style} />{' '}
            {t('The bucket stands in the path of addresses, not in the host name')}
          </label>
        </>
      )
  }
}

const Keys = ({ service }: { service: ServiceId }) => (
  <>
    <Text name="access_key_id" label={t(service === 'gcs' ? 'Access key of an HMAC key' : service === 'b2' ? 'Key ID' : 'Access key ID')} />
    <Text
      name="secret"
      label={t(service === 'gcs' ? 'Secret of the HMAC key' : service === 'b2' ? 'Application key' : 'Secret access key')}
      isSecret
    />
  </>
)

function AzureCredentials({ known, account }: { known: Connection | undefined; account: string }) {
  const [kind, setKind] = useState<'key' | 'sas'>('key')
  const isOwn = known !== undefined && known.endpoint.replace(/\/$/, '') !== `https://${account}.blob.core.windows.net`
  return (
    <>
      <Text
        name="endpoint"
        label={t('Endpoint')}
        value={isOwn ? known.endpoint : ''}
        placeholder="https://shop.blob.core.windows.net"
        isOptional
      />
      <fieldset class="field">
        <legend class="lab">{t('Credentials')}</legend>
        {(['key', 'sas'] as const).map((one) => (
          <label key={one} class="check">
            <input type="radio" name="credential" value={one} checked={kind === one} onChange={() => setKind(one)} />{' '}
            {t(one === 'key' ? 'Account key' : 'Shared access signature (SAS)')}
          </label>
        ))}
      </fieldset>
      <Text
        name="secret"
        label={t(kind === 'key' ? 'Account key' : 'SAS token')}
        placeholder={kind === 'key' ? '' : 'sv=…&sig=…'}
        isSecret
      />
    </>
  )
}
