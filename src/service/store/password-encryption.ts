/** AES-256-GCM encryption of passwords under a Worker secret, while they are stored for a job. */

const NONCE_BYTES = 12

async function keyFrom(secret: string): Promise<CryptoKey> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`whittle password box\0${secret}`))
  return crypto.subtle.importKey('raw', digest, 'AES-GCM', false, ['encrypt', 'decrypt'])
}

/**
 * Encrypts `text`. Returns nonce and ciphertext.
 * @param context id of the task or upload; decryption needs the same
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
 * Decrypts a password.
 * @throws if `secret` or `context` differs from those of the encryption
 */
export async function decryptText(box: Uint8Array, secret: string, context: string): Promise<string> {
  const iv = box.slice(0, NONCE_BYTES)
  const additionalData = new TextEncoder().encode(context)
  const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData }, await keyFrom(secret), box.slice(NONCE_BYTES))
  return new TextDecoder().decode(plain)
}
