/** The part of CharLS that tests use: a decoder that shares nothing with ours. */
declare module '@cornerstonejs/codec-charls/wasmjs' {
  interface Decoder {
    getEncodedBuffer(bytes: number): Uint8Array
    decode(): void
    getDecodedBuffer(): Uint8Array
    delete(): void
  }
  export default function create(): Promise<{ JpegLSDecoder: new () => Decoder }>
}
