import { connectionOf } from "./Connections.ts"
import type { HttpRequest, HttpResponse } from "./HttpPort.ts"

/** Who sends so many requests without waiting for an answer is no client of Kubernetes: the connection is cut. */
const MAX_WAITING = 1000

type Work = () => void

interface Pipeline {
  isBusy: boolean
  readonly waiting: Array<Work>
}

/** Of one connection of HTTP/2, so many streams are begun before others are served. */
const MAX_BEGUN = 32

/** A connection of HTTP/2, and what it has asked for in one go. */
interface Session {
  /** In which turn it was last served. */
  turn: number
  /** Streams of that turn. */
  begun: number
  readonly waiting: Array<{ readonly response: HttpResponse; readonly work: Work }>
}

/** What a socket has, as far as it is one. */
interface Pausable {
  readonly destroyed?: boolean
  pause?(): unknown
  resume?(): unknown
}

/**
 * Serves the requests of an HTTP/1 connection one after another, as Go's server does. Node reads a whole packet of pipelined
 * requests at once, and would have all of them worked on before it looks at another connection. Streams of HTTP/2 are served beside
 * each other, but some of a packet only, and the next ones in the next turn: those that their client has reset by then not at all.
 */
export class Pipelines {
  private readonly nextTurn: (callback: () => void) => void
  private readonly bySocket = new WeakMap<object, Pipeline>()
  private readonly bySession = new WeakMap<object, Session>()
  /** Those with streams that wait. */
  private readonly crowded: Array<Session> = []
  private turn = 0
  private isPlanned = false

  /** `nextTurn` runs a callback when input and output have been seen to. */
  constructor(nextTurn: (callback: () => void) => void) {
    this.nextTurn = nextTurn
  }

  enter(request: HttpRequest, response: HttpResponse, work: Work): void {
    if (request.httpVersionMajor !== 1) {
      this.enterStream(connectionOf(request), response, work)
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

  private enterStream(connection: object, response: HttpResponse, work: Work): void {
    let session = this.bySession.get(connection)
    if (session === undefined) {
      session = { turn: this.turn, begun: 0, waiting: [] }
      this.bySession.set(connection, session)
    }
    if (session.turn !== this.turn) {
      session.turn = this.turn
      session.begun = 0
    }
    this.plan()
    if (session.waiting.length === 0 && session.begun < MAX_BEGUN) {
      session.begun++
      work()
    } else if (session.waiting.push({ response, work }) === 1) this.crowded.push(session)
  }

  private plan(): void {
    if (this.isPlanned) return
    this.isPlanned = true
    this.nextTurn(this.goOn)
  }

  private readonly goOn = (): void => {
    this.isPlanned = false
    this.turn++
    for (const session of this.crowded.splice(0)) {
      session.turn = this.turn
      session.begun = 0
      const due = session.waiting.splice(0, MAX_BEGUN)
      if (session.waiting.length > 0) this.crowded.push(session)
      for (const { response, work } of due) {
        if (response.destroyed) continue
        session.begun++
        work()
      }
    }
    if (this.crowded.length > 0) this.plan()
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
