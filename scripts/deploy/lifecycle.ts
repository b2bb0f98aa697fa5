/**
 * What the bucket removes by itself. Tasks remove their blobs when they expire, and the sweep looks for what was left; these rules
 * hold when neither comes: nothing outlives the longest retention (30 days) by more than two.
 */
const DAY_SECONDS = 86_400
const LONGEST_DAYS = 32
/** A film is done within hours, also when the platform fails meanwhile. */
const PARTS_DAYS = 2
/** Nobody goes on with an upload of before. */
const UPLOAD_DAYS = 7

const after = (days: number) => ({ condition: { type: 'Age', maxAge: days * DAY_SECONDS } })
const expires = (prefix: string, days: number) => ({
  id: `whittle ${prefix}`,
  enabled: true,
  conditions: { prefix },
  deleteObjectsTransition: after(days),
})

/** As `wrangler r2 bucket lifecycle set` reads them: all rules of the bucket. */
export const LIFECYCLE = {
  rules: [
    expires('parts/', PARTS_DAYS),
    ...['results/', 'uploads/', 'incoming/', 'dead-letters/', 'exports/'].map((prefix) => expires(prefix, LONGEST_DAYS)),
    { id: 'whittle multipart', enabled: true, conditions: { prefix: '' }, abortMultipartUploadsTransition: after(UPLOAD_DAYS) },
  ],
}
