import { connectionOf } from "./Connections.ts"
import type { HttpRequest, HttpResponse } from "./HttpPort.ts"

/** A client that pipelines this many requests is not a Kubernetes client: the connection is closed. */
const MAX_PIPELINED = 1000

type Work = () => void

/** An HTTP/1 connection: whether a request is being served, and the requests that wait for its end. */
interface Pipeline {
  isBusy: boolean
  readonly waiting: Array<Work>
}

/** The maximum number of streams of one HTTP/2 connection that are started in a turn of the event loop. */
const MAX_STARTED_PER_TURN = 32

/** An HTTP/2 connection, and its pending streams. */
interface Session {
  /** The turn of the event loop in which it was last served. */
  turn: number
  /** The number of streams started in that turn. */
  started: number
  readonly waiting: Array<{ readonly response: HttpResponse; readonly work: Work }>
}

/** The methods of a socket; requests of tests may lack them. */
interface Pausable {
  readonly destroyed?: boolean
  pause?(): unknown
  resume?(): unknown
}

/**
 * Serves the requests of an HTTP/1 connection one after the other, as Go's server does: Node reads all pipelined
 * requests of a packet at once, and would serve all of them before it reads another connection. HTTP/2 streams are
 * served concurrently, but only some of a packet at once, and further ones in the next turn; those that the client has
 * reset by then are skipped.
 */
export class Pipelines {
  private readonly nextTurn: (callback: () => void) => void
  private readonly bySocket = new WeakMap<object, Pipeline>()
  private readonly bySession = new WeakMap<object, Session>()
  /** Sessions with waiting streams. */
  private readonly waitingSessions: Array<Session> = []
  private turn = 0
  private isPlanned = false

  /** `nextTurn` runs a callback after the event loop has processed input and output. */
  constructor(nextTurn: (callback: () => void) => void) {
    this.nextTurn = nextTurn
  }

  /** Calls `work` when it is the request's turn on its connection. */
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
    if (isBusy && waiting.length >= MAX_PIPELINED) {
      waiting.length = 0
      response.destroy()
      return
    }
    response.on("close", () => this.next(pipeline, socket))
    if (isBusy) {
      waiting.push(work)
      // The rest of this packet arrives anyway; the next one stays in the socket.
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
      session = { turn: this.turn, started: 0, waiting: [] }
      this.bySession.set(connection, session)
    }
    if (session.turn !== this.turn) {
      session.turn = this.turn
      session.started = 0
    }
    this.plan()
    if (session.waiting.length === 0 && session.started < MAX_STARTED_PER_TURN) {
      session.started++
      work()
    } else if (session.waiting.push({ response, work }) === 1) this.waitingSessions.push(session)
  }

  private plan(): void {
    if (this.isPlanned) return
    this.isPlanned = true
    this.nextTurn(this.startWaiting)
  }

  private readonly startWaiting = (): void => {
    this.isPlanned = false
    this.turn++
    for (const session of this.waitingSessions.splice(0)) {
      session.turn = this.turn
      session.started = 0
      const due = session.waiting.splice(0, MAX_STARTED_PER_TURN)
      if (session.waiting.length > 0) this.waitingSessions.push(session)
      for (const { response, work } of due) {
        if (response.destroyed) continue
        session.started++
        work()
      }
    }
    if (this.waitingSessions.length > 0) this.plan()
  }

  /** Serves the next request of an HTTP/1 connection, after the response of the previous one has closed. */
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
