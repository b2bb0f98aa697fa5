/** Software authenticator (WebAuthn Level 3, ES256, no attestation). Its counter stays 0, like that of synced passkeys. */
import { BASE } from './client.ts'

const ORIGIN = new URL(BASE)
/** Flags: user present and verified; with attested credential data (6.1). */
const SIGNED_IN = 0x05
const REGISTERED = 0x45

export interface Authenticator {
  readonly credentialId: string
  /** Result of `navigator.credentials.create`. */
  register(options: { challenge: string; user: { id: string } }): Promise<Record<string, unknown>>
  /** Result of `navigator.credentials.get`. */
  signIn(options: { challenge: string }): Promise<{ id: string; response: Record<string, string> } & Record<string, unknown>>
}

export async function newAuthenticator(id = crypto.getRandomValues(new Uint8Array(32))): Promise<Authenticator> {
  const generated = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  const { privateKey, publicKey } = generated as CryptoKeyPair
  const point = new Uint8Array((await crypto.subtle.exportKey('raw', publicKey)) as ArrayBuffer)
  const credentialId = base64Url(id)
  let userHandle = ''
  const clientData = (type: string, challenge: string) =>
    text(JSON.stringify({ type, challenge, origin: ORIGIN.origin, crossOrigin: false }))
  const common = { id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {} }
  return {
    credentialId,
    async register({ challenge, user }) {
      userHandle = user.id
      const clientDataJSON = clientData('webauthn.create', challenge)
      // COSE_Key of EC2, ES256, P-256 (RFC 9053, 7.1.1).
      const key = bytes([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32], point.slice(1, 33), [0x22, 0x58, 32], point.slice(33))
      const data = bytes(await authenticatorData(REGISTERED), new Uint8Array(16), [0, id.length], id, key)
      const attestation = bytes(
        [0xa3, 0x63],
        text('fmt'),
        [0x64],
        text('none'),
        [0x67],
        text('attStmt'),
        [0xa0, 0x68],
        text('authData'),
        [0x58, data.length],
        data,
      )
      const response = { clientDataJSON: base64Url(clientDataJSON), attestationObject: base64Url(attestation), transports: ['internal'] }
      return { ...common, response }
    },
    async signIn({ challenge }) {
      const clientDataJSON = clientData('webauthn.get', challenge)
      const data = await authenticatorData(SIGNED_IN)
      const signed = bytes(data, await sha256(clientDataJSON))
      const raw = new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, signed))
      const signature = der(raw.slice(0, 32), raw.slice(32))
      const response = {
        clientDataJSON: base64Url(clientDataJSON),
        authenticatorData: base64Url(data),
        signature: base64Url(signature),
        userHandle,
      }
      return { ...common, response }
    },
  }
}

const authenticatorData = async (flags: number) => bytes(await sha256(text(ORIGIN.hostname)), [flags, 0, 0, 0, 0])

const sha256 = async (data: Uint8Array<ArrayBuffer>) => new Uint8Array(await crypto.subtle.digest('SHA-256', data))

const text = (of: string): Uint8Array<ArrayBuffer> => Uint8Array.from(new TextEncoder().encode(of))

function bytes(...parts: (Uint8Array | number[])[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}

function base64Url(data: Uint8Array): string {
  return btoa(String.fromCharCode(...data))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Encodes an ECDSA signature in DER (X.690): two positive integers without leading zeros. */
function der(...numbers: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const integers = numbers.map((number) => {
    const first = number.findIndex((byte) => byte > 0)
    const digits = [...number.slice(first)]
    const positive = digits[0]! > 0x7f ? [0, ...digits] : digits
    return [0x02, positive.length, ...positive]
  })
  const body = integers.flat()
  return bytes([0x30, body.length], body)
}
