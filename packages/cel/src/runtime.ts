/** Bytes that can be read as text. */
export interface Bytes extends Uint8Array<ArrayBuffer> {
  toString(encoding?: "latin1" | "utf8", start?: number, end?: number): string
}

/**
 * Parts of the JavaScript runtime, with the few members that this package uses: their declarations for Node are those of a
 * whole library, which packages that use this one do without.
 */
interface Runtime {
  readonly Buffer: {
    readonly byteLength: (text: string) => number
    readonly from: {
      (text: string, encoding?: "base64"): Bytes
      (bytes: Array<number>): Bytes
    }
  }
  readonly TextDecoder: new (
    label: string,
    options: { readonly fatal: boolean; readonly ignoreBOM: boolean }
  ) => { readonly decode: (bytes: Uint8Array) => string }
  readonly TextEncoder: new () => { readonly encode: (text: string) => Uint8Array<ArrayBuffer> }
  readonly btoa: (text: string) => string
}

export const { btoa, Buffer, TextDecoder, TextEncoder } = globalThis as unknown as Runtime
