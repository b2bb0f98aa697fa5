/** Types of the independent decoder CharLS, as far as tests use it. */
declare module '@cornerstonejs/codec-charls/wasmjs' {
  interface Decoder {
    getEncodedBuffer(bytes: number): Uint8Array
    decode(): void
    getDecodedBuffer(): Uint8Array
    delete(): void
  }
  export default function create(): Promise<{ JpegLSDecoder: new () => Decoder }>
}
