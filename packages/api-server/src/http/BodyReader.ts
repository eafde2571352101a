import { guarded, type TimersShape } from "@rollcall/time"
import { BodyBuffer } from "./BodyBuffer.ts"
import { BODY_OVERHEAD_BYTES, type BodyLimits, bodyDeadlineMs } from "./bodyLimits.ts"
import type { HttpRequest, HttpResponse } from "./HttpPort.ts"

/**
 * Why there is no body: it is larger than bodies may be; it did not come in time; the user's unfinished bodies hold too much; the
 * client cut it off.
 */
export type BodyProblem = "tooLarge" | "tooSlow" | "tooMany" | "broken"

/** `release`: the body no longer waits to be served, so that its user is not charged for it any more. Of a problem nothing is held. */
export type BodyReply = (body: Buffer | BodyProblem, release: () => void) => void

/** A request with its answer: what is cut off when its body does not end. */
export interface Exchange {
  readonly request: HttpRequest
  readonly response: HttpResponse
}

/** A body that is under way. */
interface Pending {
  readonly exchange: Exchange
  readonly user: string
  /** When it was first looked at: most bodies come before that, and none of them costs a look at the clock. */
  startedMs: number | undefined
  readonly buffer: BodyBuffer
  /** What it is charged, in bytes. */
  charge: number
  /** Undefined once it is answered: what still comes is thrown away, until `discardUntilMs`. */
  reply: BodyReply | undefined
  discardUntilMs: number | undefined
}

/**
 * Reads bodies whole, before a request takes a place in flight. A body has a deadline and a least rate, and what bodies hold that are
 * unfinished, or whose requests wait for a place, is bounded for each user and in all; where all is taken, the user that holds the
 * most gives way.
 */
export class BodyReader {
  private readonly timers: TimersShape
  private readonly limits: BodyLimits
  private readonly pending = new Set<Pending>()
  /** Charges by user, in bytes. */
  private readonly charges = new Map<string, number>()
  private total = 0
  private checking = false

  constructor(timers: TimersShape, limits: BodyLimits) {
    this.timers = timers
    this.limits = limits
  }

  /** Bodies that are under way. */
  get count(): number {
    return this.pending.size
  }

  /** What these are charged, and those that are released later. */
  get heldBytes(): number {
    return this.total
  }

  /** Calls once. After a problem what still comes of the body is thrown away, for a while; then the request is cut off. */
  read(exchange: Exchange, user: string, reply: BodyReply): void {
    const body = this.begin(exchange, user, reply)
    const declared = exchange.request.headers["content-length"]
    if (declared !== undefined && Number(declared) > this.limits.bytes) this.finish(body, "tooLarge")
    else this.charge(body, BODY_OVERHEAD_BYTES)
    this.listen(body)
  }

  /** Throws away the body of a request that is refused without it; one that does not end in time is cut off. */
  discard(exchange: Exchange): void {
    const body = this.begin(exchange, "", undefined)
    this.listen(body)
  }

  private begin(exchange: Exchange, user: string, reply: BodyReply | undefined): Pending {
    const times = { startedMs: undefined, discardUntilMs: undefined }
    const body: Pending = { exchange, user, ...times, buffer: new BodyBuffer(), charge: 0, reply }
    this.pending.add(body)
    if (!this.checking) this.planCheck()
    return body
  }

  private listen(body: Pending): void {
    const { request } = body.exchange
    request.on("data", (piece: Buffer) => this.take(body, piece))
    request.on("aborted", () => this.close(body, "broken"))
    request.on("error", () => this.close(body, "broken"))
    // A stream of HTTP/2 that is reset ends, too, as if its body were complete.
    request.on("end", () => this.close(body, request.aborted === true ? "broken" : body.buffer.whole()))
  }

  private take(body: Pending, piece: Buffer): void {
    if (body.reply === undefined) return
    const { buffer } = body
    if (buffer.size + piece.length > this.limits.bytes) {
      this.finish(body, "tooLarge")
      return
    }
    buffer.add(piece)
    const grown = BODY_OVERHEAD_BYTES + buffer.capacity - body.charge
    if (grown > 0) this.charge(body, grown)
  }

  private charge(body: Pending, bytes: number): void {
    const held = (this.charges.get(body.user) ?? 0) + bytes
    body.charge += bytes
    this.charges.set(body.user, held)
    this.total += bytes
    if (held > this.limits.userBytes) this.finish(body, "tooMany")
    else if (this.total > this.limits.totalBytes) this.makeRoom(body)
  }

  private release(body: Pending): void {
    const { charge, user } = body
    if (charge === 0) return
    body.charge = 0
    this.total -= charge
    const left = (this.charges.get(user) ?? 0) - charge
    if (left > 0) this.charges.set(user, left)
    else this.charges.delete(user)
  }

  /** The largest unfinished body of the user that holds the most is given up; where that user has none, the one that grows. */
  private makeRoom(growing: Pending): void {
    let user = ""
    let most = -1
    for (const [name, held] of this.charges) if (held > most) [user, most] = [name, held]
    let largest: Pending | undefined
    for (const body of this.pending) {
      if (body.reply !== undefined && body.user === user && body.charge > (largest?.charge ?? 0)) largest = body
    }
    this.finish(largest ?? growing, "tooMany")
  }

  private finish(body: Pending, result: Buffer | BodyProblem): void {
    const { reply } = body
    if (reply === undefined) return
    body.reply = undefined
    body.buffer.clear()
    const release = () => this.release(body)
    if (typeof result === "string") release()
    reply(result, release)
  }

  /** Nothing more comes. */
  private close(body: Pending, result: Buffer | BodyProblem): void {
    this.pending.delete(body)
    this.finish(body, result)
  }

  private planCheck(): void {
    this.checking = true
    this.timers.after(this.limits.checkMs, this.check)
  }

  private readonly check = (): void => {
    this.checking = false
    const now = this.timers.now()
    for (const body of this.pending) guarded(this.timers, "unfinished body", () => this.look(body, now))
    if (this.pending.size > 0) this.planCheck()
  }

  private look(body: Pending, now: number): void {
    if (body.reply !== undefined) {
      body.startedMs ??= now
      if (now >= bodyDeadlineMs(this.limits, body.startedMs, body.buffer.size)) this.finish(body, "tooSlow")
    }
    if (body.reply !== undefined) return
    body.discardUntilMs ??= now + this.limits.discardMs
    if (now < body.discardUntilMs) return
    this.pending.delete(body)
    body.exchange.request.destroy()
    body.exchange.response.destroy()
  }
}
