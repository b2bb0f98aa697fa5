/** AES-256-GCM encryption of passwords, destinations and credentials under a Worker secret, while they are stored. */

const NONCE_BYTES = 12

async function keyFrom(secret: string): Promise<CryptoKey> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`whittle password box\0${secret}`))
  return crypto.subtle.importKey('raw', digest, 'AES-GCM', false, ['encrypt', 'decrypt'])
}

/** Returns the Worker secret. @throws Error if the operator has not set it */
export function requiredSecret(secret: string | undefined): string {
  if (!secret)
    throw new Error(
      'The Worker secret SECRET_KEY is not set, so passwords, destinations and credentials cannot be stored. Set it and restart.',
    )
  return secret
}

/**
 * Encrypts `text`. Returns nonce and ciphertext.
 * @param context id of the task or upload, or account and name of a connection; decryption needs the same
 */
export async function encryptText(text: string, secret: string, context: string): Promise<Uint8Array> {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const additionalData = new TextEncoder().encode(context)
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, await keyFrom(secret), new TextEncoder().encode(text))
  const box = new Uint8Array(NONCE_BYTES + sealed.byteLength)
  box.set(iv)
  box.set(new Uint8Array(sealed), NONCE_BYTES)
  return box
}

/**
 * Decrypts a text.
 * @throws if `secret` or `context` differs from those of the encryption
 */
export async function decryptText(box: Uint8Array, secret: string, context: string): Promise<string> {
  const iv = box.slice(0, NONCE_BYTES)
  const additionalData = new TextEncoder().encode(context)
  const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData }, await keyFrom(secret), box.slice(NONCE_BYTES))
  return new TextDecoder().decode(plain)
}
