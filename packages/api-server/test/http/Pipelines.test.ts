import { EventEmitter } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import type { HttpRequest, HttpResponse } from "../../src/http/index.ts"
import { Pipelines } from "../../src/http/Pipelines.ts"

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

const make = (httpVersionMajor: number) => {
  const pipelines = new Pipelines()
  const socket = new FakeSocket()
  const served: Array<number> = []
  const send = (index: number): FakeResponse => {
    const response = new FakeResponse()
    const request = { socket, httpVersionMajor } as unknown as HttpRequest
    pipelines.enter(request, response as unknown as HttpResponse, () => served.push(index))
    return response
  }
  return { socket, served, send }
}

describe("requests of one connection", () => {
  it("are served one after another; what has not been read stays where it is", () => {
    const { send, served, socket } = make(1)
    const [first, second] = [send(1), send(2)]
    send(3)
    assert.deepStrictEqual([served, socket.isPaused], [[1], true])
    first.emit("close")
    assert.deepStrictEqual([served, socket.isPaused], [[1, 2], true])
    second.emit("close")
    assert.deepStrictEqual([served, socket.isPaused], [[1, 2, 3], false])
  })

  it("begin anew once all are answered", () => {
    const { send, served } = make(1)
    send(1).emit("close")
    send(2)
    assert.deepStrictEqual(served, [1, 2])
  })

  it("are forgotten with the connection", () => {
    const { send, served, socket } = make(1)
    const first = send(1)
    send(2)
    socket.destroyed = true
    first.emit("close")
    assert.deepStrictEqual(served, [1])
  })

  it("are cut off when a thousand wait", () => {
    const { send, served } = make(1)
    const responses = Array.from({ length: 1002 }, (_, index) => send(index))
    assert.deepStrictEqual(
      responses.map(({ destroyed }, index) => (destroyed ? index : -1)).filter((index) => index >= 0),
      [1001]
    )
    assert.deepStrictEqual(served, [0])
  })

  it("of HTTP/2 are served side by side", () => {
    const { send, served } = make(2)
    send(1)
    send(2)
    assert.deepStrictEqual(served, [1, 2])
  })
})
