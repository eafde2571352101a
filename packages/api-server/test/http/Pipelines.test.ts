import { EventEmitter } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import type { HttpRequest, HttpResponse } from "../../src/http/index.ts"
import { Pipelines } from "../../src/http/wire/Pipelines.ts"

class FakeSocket {
  destroyed = false
  isPaused = false

  pause() {
    this.isPaused = true
  }

  resume() {
    this.isPaused = false
  }
}

class FakeResponse extends EventEmitter {
  destroyed = false

  destroy() {
    this.destroyed = true
  }
}

const makePipelines = (httpVersionMajor: number) => {
  const turns: Array<() => void> = []
  const pipelines = new Pipelines((callback) => turns.push(callback))
  const nextTurn = () => turns.shift()?.()
  const socket = new FakeSocket()
  const served: Array<number> = []
  const send = (index: number, connection: object = socket): FakeResponse => {
    const response = new FakeResponse()
    const request = { socket: connection, httpVersionMajor } as unknown as HttpRequest
    pipelines.enter(request, response as unknown as HttpResponse, () => served.push(index))
    return response
  }
  return { socket, served, send, nextTurn, turns }
}

describe("requests of one connection", () => {
  it("are served one after another; unread input stays in its buffer", () => {
    const { send, served, socket } = makePipelines(1)
    const [first, second] = [send(1), send(2)]
    send(3)
    assert.deepStrictEqual([served, socket.isPaused], [[1], true])
    first.emit("close")
    assert.deepStrictEqual([served, socket.isPaused], [[1, 2], true])
    second.emit("close")
    assert.deepStrictEqual([served, socket.isPaused], [[1, 2, 3], false])
  })

  it("are read again once all have been answered", () => {
    const { send, served } = makePipelines(1)
    send(1).emit("close")
    send(2)
    assert.deepStrictEqual(served, [1, 2])
  })

  it("are dropped with the connection", () => {
    const { send, served, socket } = makePipelines(1)
    const first = send(1)
    send(2)
    socket.destroyed = true
    first.emit("close")
    assert.deepStrictEqual(served, [1])
  })

  it("are cut off when a thousand wait", () => {
    const { send, served } = makePipelines(1)
    const responses = Array.from({ length: 1002 }, (_, index) => send(index))
    assert.deepStrictEqual(
      responses.map(({ destroyed }, index) => (destroyed ? index : -1)).filter((index) => index >= 0),
      [1001]
    )
    assert.deepStrictEqual(served, [0])
  })

  it("of HTTP/2 are served concurrently", () => {
    const { send, served } = makePipelines(2)
    send(1)
    send(2)
    assert.deepStrictEqual(served, [1, 2])
  })

  it("of HTTP/2 start a few per time slice, without those that were reset meanwhile, and block no other connection", () => {
    const { nextTurn, send, served, turns } = makePipelines(2)
    const responses = Array.from({ length: 100 }, (_, index) => send(index))
    assert.strictEqual(served.length, 32)
    send(1000, new FakeSocket())
    assert.strictEqual(served.at(-1), 1000)
    for (const response of responses.slice(40)) response.destroy()
    nextTurn()
    assert.deepStrictEqual(served.slice(33), [32, 33, 34, 35, 36, 37, 38, 39])
    for (let turn = 0; turn < 10; turn++) nextTurn()
    assert.strictEqual(served.length, 41)
    assert.lengthOf(turns, 0)
    send(1001)
    assert.strictEqual(served.at(-1), 1001)
  })

  it("of HTTP/2 are all served in the end, in their order", () => {
    const { nextTurn, send, served, turns } = makePipelines(2)
    for (let index = 0; index < 100; index++) send(index)
    while (turns.length > 0) nextTurn()
    assert.deepStrictEqual(
      served,
      Array.from({ length: 100 }, (_, index) => index)
    )
  })
})
