/** Base64url of so many random bytes. */
export function randomText(bytes: number): string {
  const text = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(bytes))))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
