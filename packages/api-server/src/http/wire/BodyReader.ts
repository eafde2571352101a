import { guarded, type TimersShape } from "@rollcall/time"
import { type BodyLimits, bodyDeadlineMs } from "./bodyLimits.ts"
import type { HttpRequest, HttpResponse } from "./HttpPort.ts"

/** From this size a body may take long to handle: other requests of its user wait for it. */
export const LONG_BODY_BYTES = 64 * 1024

/** The memory charged for an unfinished body besides its bytes: its request, stream and buffers. */
export const BODY_OVERHEAD_BYTES = 8 * 1024

/**
 * The received bytes of a body. A single chunk is kept as it is; from the second on they are copied into one buffer
 * that doubles, since a client may send its body in chunks of one byte, each of which would cost an object.
 */
export class BodyBuffer {
  private bytes: Buffer = EMPTY
  private length = 0

  get size(): number {
    return this.length
  }

  /** The memory in use. */
  get capacity(): number {
    return this.bytes.length
  }

  add(piece: Buffer): void {
    const { length } = this
    this.length += piece.length
    if (length === 0) {
      this.bytes = piece
      return
    }
    if (this.length > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.length, 2 * length, MIN_COPIED_BYTES))
      this.bytes.copy(larger, 0, 0, length)
      this.bytes = larger
    }
    piece.copy(this.bytes, length)
  }

  whole(): Buffer {
    return this.bytes.length === this.length ? this.bytes : this.bytes.subarray(0, this.length)
  }

  clear(): void {
    this.bytes = EMPTY
    this.length = 0
  }
}

const EMPTY = Buffer.alloc(0)
const MIN_COPIED_BYTES = 4096
/** That of bodies which are not received in pieces. */
const NOTHING = new BodyBuffer()

/** Why a body was not read. 413, 504 (below the rate), 429 (too much memory in use); `broken`: its client is gone. */
export type BodyProblem = "tooLarge" | "tooSlow" | "tooMany" | "broken"

/** Receives the body, or why there is none. A body's memory is charged to its user until `release` is called. */
export type BodyReply = (body: Buffer | BodyProblem, release: () => void) => void

/** A request and its response, which are closed if the body does not end. */
export interface Exchange {
  readonly request: HttpRequest
  readonly response: HttpResponse
}

/** The memory of a user's bodies. */
interface Account {
  bytes: number
}

/** An unfinished body. */
interface Pending {
  readonly exchange: Exchange
  readonly account: Account
  /** Its position in `BodyReader.pending`. */
  index: number
  /** When it was first checked: most bodies are complete before that, and never read the clock. */
  startedMs: number | undefined
  readonly buffer: BodyBuffer
  /** The charged memory in bytes. */
  charge: number
  /** Undefined once it is answered: further data is discarded until `discardUntilMs`. */
  reply: BodyReply | undefined
  discardUntilMs: number | undefined
}

/**
 * Reads bodies completely, before a request takes a seat. A body has a deadline and a minimum rate. The memory of
 * unfinished bodies, and of those whose requests wait for a seat, is limited for each user and in total; when the total
 * is used up, a body of the user with the most memory is dropped.
 */
export class BodyReader {
  private readonly timers: TimersShape
  private readonly limits: BodyLimits
  /**
   * An array instead of a Set: V8's Set keeps garbage as it changes with each request, and that garbage references the
   * requests.
   */
  private readonly pending: Array<Pending> = []
  /** By user. Empty accounts are removed at the next check. */
  private readonly accounts = new Map<string, Account>()
  private total = 0
  private isCheckPlanned = false

  constructor(timers: TimersShape, limits: BodyLimits) {
    this.timers = timers
    this.limits = limits
  }

  /** The number of unfinished bodies. */
  get count(): number {
    return this.pending.length
  }

  /** The memory charged for unfinished bodies, and for finished ones that have not been released. */
  get heldBytes(): number {
    return this.total
  }

  /** Calls `reply` once. After a failure the rest of the body is discarded for a while; then the request is closed. */
  read(exchange: Exchange, user: string, reply: BodyReply): void {
    const { whole } = exchange.request
    if (whole !== undefined) {
      this.take(whole, this.begin(exchange, user, reply, NOTHING))
      return
    }
    const body = this.begin(exchange, user, reply)
    const declared = exchange.request.headers["content-length"]
    if (declared !== undefined && Number(declared) > this.limits.bytes) this.finish(body, "tooLarge")
    else this.charge(body, BODY_OVERHEAD_BYTES)
    this.listen(body)
  }

  /** Discards the body of a request that is refused without it; a body that does not end in time is closed. */
  discard(exchange: Exchange): void {
    this.listen(this.begin(exchange, "", undefined))
  }

  /** Replies with a body that is there. It is charged like any other. */
  private take(whole: Buffer, body: Pending): void {
    if (whole.length > this.limits.bytes) this.finish(body, "tooLarge")
    else this.charge(body, BODY_OVERHEAD_BYTES + whole.length)
    this.close(body, whole)
  }

  private begin(
    exchange: Exchange,
    user: string,
    reply: BodyReply | undefined,
    buffer: BodyBuffer = new BodyBuffer()
  ): Pending {
    const body: Pending = {
      exchange,
      account: this.accountOf(user),
      index: this.pending.length,
      startedMs: undefined,
      buffer,
      charge: 0,
      reply,
      discardUntilMs: undefined
    }
    this.pending.push(body)
    if (!this.isCheckPlanned) this.planCheck()
    return body
  }

  private listen(body: Pending): void {
    const { request } = body.exchange
    request.on("data", (piece: Buffer) => this.append(body, piece))
    request.on("aborted", () => this.close(body, "broken"))
    request.on("error", () => this.close(body, "broken"))
    // A reset HTTP/2 stream also emits `end`, as if its body were complete.
    request.on("end", () => this.close(body, request.aborted === true ? "broken" : body.buffer.whole()))
  }

  private append(body: Pending, piece: Buffer): void {
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

  private accountOf(user: string): Account {
    const known = this.accounts.get(user)
    if (known !== undefined) return known
    const account = { bytes: 0 }
    this.accounts.set(user, account)
    return account
  }

  private charge(body: Pending, bytes: number): void {
    const { account } = body
    body.charge += bytes
    account.bytes += bytes
    this.total += bytes
    if (account.bytes > this.limits.userBytes) this.finish(body, "tooMany")
    else if (this.total > this.limits.totalBytes) this.dropLargest(body)
  }

  private release(body: Pending): void {
    const { account, charge } = body
    body.charge = 0
    account.bytes -= charge
    this.total -= charge
  }

  /** Drops the largest unfinished body of the user with the most memory; if that user has none, the growing one. */
  private dropLargest(growing: Pending): void {
    let heaviest = growing.account
    for (const account of this.accounts.values()) if (account.bytes > heaviest.bytes) heaviest = account
    let largest: Pending | undefined
    for (const body of this.pending) {
      if (body.reply !== undefined && body.account === heaviest && body.charge > (largest?.charge ?? 0)) largest = body
    }
    this.finish(largest ?? growing, "tooMany")
  }

  /** Replies with the body or the failure, once; further data is discarded. */
  private finish(body: Pending, result: Buffer | BodyProblem): void {
    const { reply } = body
    if (reply === undefined) return
    body.reply = undefined
    body.buffer.clear()
    const release = () => this.release(body)
    if (typeof result === "string") release()
    reply(result, release)
  }

  /** Called when no more data comes. */
  private close(body: Pending, result: Buffer | BodyProblem): void {
    this.removePending(body)
    this.finish(body, result)
  }

  /** Removes a body from the array, in constant time: the last one takes its position. */
  private removePending(body: Pending): void {
    if (this.pending[body.index] !== body) return
    const last = this.pending.pop() as Pending
    if (last === body) return
    this.pending[body.index] = last
    last.index = body.index
  }

  private planCheck(): void {
    this.isCheckPlanned = true
    this.timers.after(this.limits.checkMs, this.check)
  }

  private readonly check = (): void => {
    this.isCheckPlanned = false
    const now = this.timers.now()
    for (const body of [...this.pending]) guarded(this.timers, "unfinished body", () => this.checkDeadline(body, now))
    for (const [user, { bytes }] of this.accounts) if (bytes === 0) this.accounts.delete(user)
    if (this.pending.length > 0 || this.accounts.size > 0) this.planCheck()
  }

  /** Fails a body that is too slow; closes a request whose refused body has been discarded for long enough. */
  private checkDeadline(body: Pending, now: number): void {
    if (body.reply !== undefined) {
      body.startedMs ??= now
      if (now >= bodyDeadlineMs(this.limits, body.startedMs, body.buffer.size)) this.finish(body, "tooSlow")
    }
    if (body.reply !== undefined) return
    body.discardUntilMs ??= now + this.limits.discardMs
    if (now < body.discardUntilMs) return
    this.removePending(body)
    body.exchange.request.destroy()
    body.exchange.response.destroy()
  }
}
