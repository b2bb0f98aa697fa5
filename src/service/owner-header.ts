/**
 * Response header with the account that a request belongs to, for the reverse proxy of one machine, which removes it. It counts the
 * downloads of an account together, whatever keys and links they use.
 */
export const OWNER_HEADER = 'CF-Whittle-Owner'
