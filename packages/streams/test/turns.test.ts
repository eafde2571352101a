import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { readInTurns } from "../src/turns.ts"
import { FrameReader, opcodes } from "../src/webSocket/webSocketFrames.ts"

/** A masked frame of a client. */
const frame = (opcode: number, payload: string): Buffer =>
  Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), Buffer.from(payload)])

const PINGS = 3000

/** A connection whose pings are logged with its name. */
const connect = (name: string, log: Array<string>, head: Buffer = Buffer.alloc(0)) => {
  const socket = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
  const frames = new FrameReader({
    onPing: (payload) => log.push(`${name} ${payload}`),
    onEnd: () => log.push(`${name} closes`)
  })
  readInTurns({
    socket: socket as unknown as Socket,
    head,
    read: (chunk) => frames.read(chunk),
    ended: () => log.push(`${name} ends`),
    guard: (act) => act()
  })
  return socket
}

const settle = async (log: ReadonlyArray<string>, length: number): Promise<void> => {
  for (let turns = 0; turns < PINGS && log.length < length; turns++) await setImmediate()
  await setImmediate()
}

const pings = (count: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, at) => frame(opcodes.ping, `${at}`)))

describe("connections that take turns", () => {
  it("are answered beside one that floods", async () => {
    const log: Array<string> = []
    const flood = connect("flood", log)
    const quiet = connect("quiet", log)
    flood.push(pings(PINGS))
    quiet.push(pings(1))
    await settle(log, PINGS + 1)
    assert.lengthOf(log, PINGS + 1)
    assert.isBelow(log.indexOf("quiet 0"), PINGS / 4)
    assert.deepStrictEqual(
      log.filter((line) => line.startsWith("flood")),
      Array.from({ length: PINGS }, (_, at) => `flood ${at}`)
    )
  })

  it("read everything in order, in whatever pieces it arrives, and then the end", async () => {
    const bytes = pings(PINGS)
    const log: Array<string> = []
    const socket = connect("a", log, bytes.subarray(0, 1001))
    for (let at = 1001; at < bytes.length; at += 1009) socket.push(bytes.subarray(at, at + 1009))
    socket.push(null)
    await settle(log, PINGS + 1)
    assert.deepStrictEqual(log, [...Array.from({ length: PINGS }, (_, at) => `a ${at}`), "a ends"])
  })

  it("handle nothing after a close frame or once the socket is gone", async () => {
    const log: Array<string> = []
    connect("a", log, Buffer.concat([frame(opcodes.close, ""), pings(5)]))
    const gone = connect("b", log)
    gone.push(pings(PINGS))
    await settle(log, 2)
    gone.destroy()
    const before = log.length
    await settle(log, before + 1)
    assert.strictEqual(log[0], "a closes")
    assert.isBelow(log.length, PINGS)
    assert.lengthOf(
      log.filter((line) => line.startsWith("a")),
      1
    )
  })
})
