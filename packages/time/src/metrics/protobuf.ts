import type { FamilyType } from "./Family.ts"
import type { FamilySnapshot, Measured, Sample } from "./snapshot.ts"

const VARINT = 0
const DOUBLE = 1
const BYTES = 2

/** A byte buffer that grows; numbers are little-endian, as in protobuf. */
class Writer {
  private bytes = new Uint8Array(256)
  private view = new DataView(this.bytes.buffer)
  private length = 0

  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + more))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
    this.view = new DataView(larger.buffer)
  }

  varint(value: number): void {
    this.reserve(10)
    let rest = value
    while (rest > 0x7f) {
      this.bytes[this.length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.bytes[this.length++] = rest
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  count(field: number, value: number): void {
    this.varint(field * 8 + VARINT)
    this.varint(Math.round(value))
  }

  double(field: number, value: number): void {
    this.varint(field * 8 + DOUBLE)
    this.reserve(8)
    this.view.setFloat64(this.length, value, true)
    this.length += 8
  }

  message(field: number, bytes: Uint8Array): void {
    this.varint(field * 8 + BYTES)
    this.varint(bytes.length)
    this.raw(bytes)
  }

  text(field: number, text: string): void {
    this.message(field, utf8(text))
  }

  done(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }
}

/** Encodes text; written out because this package has no types of a platform. */
const utf8 = (text: string): Uint8Array => {
  const bytes: Array<number> = []
  for (const character of text) {
    const code = character.codePointAt(0) as number
    if (code < 0x80) bytes.push(code)
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), tail(code))
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), tail(code >> 6), tail(code))
    else bytes.push(0xf0 | (code >> 18), tail(code >> 12), tail(code >> 6), tail(code))
  }
  return Uint8Array.from(bytes)
}

const tail = (bits: number): number => 0x80 | (bits & 0x3f)

const written = (write: (writer: Writer) => void): Uint8Array => {
  const writer = new Writer()
  write(writer)
  return writer.done()
}

/** The numbers of MetricType, and of the field of a Metric that has the value. */
const types: Readonly<Record<FamilyType, { readonly type: number; readonly field: number }>> = {
  counter: { type: 0, field: 3 },
  gauge: { type: 1, field: 2 },
  summary: { type: 2, field: 4 },
  histogram: { type: 4, field: 7 }
}

const measured = ({ buckets, count, sum }: Measured): Uint8Array =>
  written((writer) => {
    writer.count(1, count)
    writer.double(2, sum)
    for (const [bound, below] of buckets) {
      writer.message(
        3,
        written((bucket) => {
          bucket.count(1, below)
          bucket.double(2, bound)
        })
      )
    }
  })

const metric = ({ labels, value }: Sample, type: FamilyType): Uint8Array =>
  written((writer) => {
    for (const [name, text] of labels) {
      writer.message(
        1,
        written((label) => {
          label.text(1, name)
          label.text(2, text)
        })
      )
    }
    writer.message(types[type].field, typeof value === "number" ? written((w) => w.double(1, value)) : measured(value))
  })

/**
 * Formats families as `io.prometheus.client.MetricFamily`, each after its length. Upstream: client_model/metrics.proto.
 */
export const protobufOf = (families: ReadonlyArray<FamilySnapshot>): Uint8Array =>
  written((all) => {
    for (const { help, name, samples, type } of families) {
      const family = written((writer) => {
        writer.text(1, name)
        if (help !== undefined) writer.text(2, help)
        writer.count(3, types[type].type)
        for (const sample of samples) writer.message(4, metric(sample, type))
      })
      all.varint(family.length)
      all.raw(family)
    }
  })
