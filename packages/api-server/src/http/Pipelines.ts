import type { HttpRequest, HttpResponse } from "./HttpPort.ts"

/** Who sends so many requests without waiting for an answer is no client of Kubernetes: the connection is cut. */
const MAX_WAITING = 1000

type Work = () => void

interface Pipeline {
  isBusy: boolean
  readonly waiting: Array<Work>
}

/** What a socket has, as far as it is one. */
interface Pausable {
  readonly destroyed?: boolean
  pause?(): unknown
  resume?(): unknown
}

/**
 * Serves the requests of an HTTP/1 connection one after another, as Go's server does. Node reads a whole packet of pipelined
 * requests at once, and would have all of them worked on before it looks at another connection. HTTP/2 has streams for that.
 */
export class Pipelines {
  private readonly bySocket = new WeakMap<object, Pipeline>()

  enter(request: HttpRequest, response: HttpResponse, work: Work): void {
    if (request.httpVersionMajor !== 1) {
      work()
      return
    }
    const { socket } = request
    let pipeline = this.bySocket.get(socket)
    if (pipeline === undefined) {
      pipeline = { isBusy: false, waiting: [] }
      this.bySocket.set(socket, pipeline)
    }
    const { isBusy, waiting } = pipeline
    if (isBusy && waiting.length >= MAX_WAITING) {
      waiting.length = 0
      response.destroy()
      return
    }
    response.on("close", () => this.next(pipeline, socket))
    if (isBusy) {
      waiting.push(work)
      // What is in this packet comes all the same; the next one is left where it is.
      const pausable: Pausable = socket
      pausable.pause?.()
      return
    }
    pipeline.isBusy = true
    work()
  }

  private next(pipeline: Pipeline, socket: Pausable): void {
    if (socket.destroyed === true) pipeline.waiting.length = 0
    const work = pipeline.waiting.shift()
    if (work !== undefined) {
      if (pipeline.waiting.length > 0) socket.pause?.()
      else socket.resume?.()
      work()
      return
    }
    pipeline.isBusy = false
  }
}
