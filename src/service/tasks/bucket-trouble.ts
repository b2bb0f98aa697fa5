/** Texts for errors of buckets. */
import type { BucketError, BucketTrouble } from '../buckets/object-store.ts'
import { type ApiMessage, apiMessage } from '../i18n/message.ts'

const MESSAGES: Readonly<Record<BucketTrouble, (answer: string) => ApiMessage>> = {
  unauthorised: (answer) => apiMessage('bucket_unauthorised', { answer }),
  missing_bucket: () => apiMessage('bucket_missing'),
  missing_object: () => apiMessage('bucket_object_missing'),
  changed: () => apiMessage('bucket_object_changed'),
  busy: (answer) => apiMessage('bucket_busy', { answer }),
  unreachable: () => apiMessage('bucket_unreachable'),
  unsafe_address: () => apiMessage('bucket_address_not_allowed'),
  malformed: () => apiMessage('bucket_answer_malformed'),
  encoded: () => apiMessage('bucket_object_encoded'),
  unusable_key: () => apiMessage('bucket_key_unusable'),
  refused: (answer) => apiMessage('bucket_refused', { answer }),
  missing_connection: () => apiMessage('bucket_connection_missing'),
  unreadable_credentials: () => apiMessage('bucket_credentials_unreadable'),
}

/** Says what went wrong, as the second half of a sentence. */
export const troubleMessage = ({ trouble, status, code }: BucketError): ApiMessage =>
  MESSAGES[trouble]([...(status === undefined ? [] : [String(status)]), ...(code === undefined ? [] : [code])].join(' '))

/** Facts of the error for programs: `reason`, HTTP status of the last answer, and the error code of the server. */
export const troubleFacts = ({ trouble, status, code }: BucketError) => ({
  reason: trouble,
  status: status ?? null,
  ...(code === undefined ? {} : { bucket_error: code }),
})
