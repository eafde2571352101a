import { describe, expect, it } from "vitest"
import { AnswerReader } from "../../src/load/AnswerReader.ts"

const whole = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{"a":0}'
const chunked = 'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{"b"\r\n3\r\n:1}\r\n0\r\n\r\n'
const empty = "HTTP/1.1 404 Not Found\r\nX-Count: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"

/** Reads the answers in pieces that begin and end anywhere. */
const answersIn = (pieces: ReadonlyArray<Buffer>): ReadonlyArray<readonly [number, string]> => {
  const answers: Array<readonly [number, string]> = []
  const reader = new AnswerReader((code, body) => void answers.push([code, body.toString()]))
  const shared = Buffer.alloc(64 * 1024)
  for (const piece of pieces) {
    shared.set(piece)
    reader.read(shared.subarray(0, piece.length))
    shared.fill(0)
  }
  return answers
}

describe("AnswerReader", () => {
  it("reads answers that arrive in two pieces", () => {
    for (const [text, code, body] of [
      [whole, 200, '{"a":0}'],
      [chunked, 201, '{"b":1}'],
      [empty, 404, ""]
    ] as const) {
      const bytes = Buffer.from(text)
      for (let at = 0; at <= bytes.length; at++)
        expect(answersIn([bytes.subarray(0, at), bytes.subarray(at)])).toEqual([[code, body]])
    }
  })

  it("reads a large answer after a small one and before another", () => {
    const body = "0123456789".repeat(10_000)
    const large = Buffer.from(`HTTP/1.1 200 OK\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)
    const pieces = Array.from({ length: 10 }, (_, at) => large.subarray(at * 16_384, (at + 1) * 16_384))
    expect(answersIn([Buffer.from(whole), ...pieces, Buffer.from(chunked)])).toEqual([
      [200, '{"a":0}'],
      [200, body],
      [201, '{"b":1}']
    ])
  })
})
