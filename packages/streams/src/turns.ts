import type { Socket } from "node:net"
import { setImmediate } from "node:timers"

/*
 * Connections take turns. Node reads two megabytes of a connection before it looks at the next one, so that a few clients which send
 * small frames as fast as they can would hold up all others.
 */

/** How many connections have a turn before the event loop looks at others; each handles at most 64 KB. */
const TURNS_AT_ONCE = 4

const waiting: Array<() => void> = []
let isDue = false

const takeTurns = (): void => {
  isDue = false
  const now = waiting.splice(0, TURNS_AT_ONCE)
  if (waiting.length > 0) schedule()
  for (const act of now) act()
}

const schedule = (): void => {
  if (isDue) return
  isDue = true
  setImmediate(takeTurns)
}

/** Calls `act`, which throws nothing, after the other connections that wait had their turn. */
export const afterOthers = (act: () => void): void => {
  waiting.push(act)
  schedule()
}

/** What reads a connection. */
export interface TurnReader {
  readonly socket: Socket
  /** What of it has arrived already. */
  readonly head: Buffer
  /** Handles the start of a chunk, and returns the rest for the next turn. */
  readonly read: (chunk: Buffer) => Buffer
  /** Called when the client sends no more. */
  readonly ended: () => void
  /** Runs the handling of what the client sends; an exception ends the connection only. */
  readonly guard: (act: () => void) => void
}

/** Reads a connection in turns: of what its client sends, a part is handled at a time, and nothing else is read meanwhile. */
export const readInTurns = ({ ended, guard, head, read, socket }: TurnReader): void => {
  let held = head
  let hasEnded = false
  const take = (): void =>
    guard(() => {
      if (socket.destroyed) return
      // Each answer by itself would be a packet.
      socket.cork()
      try {
        held = read(held)
      } finally {
        socket.uncork()
      }
      if (held.length > 0) return afterOthers(take)
      if (hasEnded) ended()
      else socket.resume()
    })
  const receive = (chunk: Buffer): void => {
    socket.pause()
    const isWaiting = held.length > 0
    held = isWaiting ? Buffer.concat([held, chunk]) : chunk
    if (!isWaiting) afterOthers(take)
  }
  socket.on("data", receive)
  // It comes after the last chunk was given, which may still wait for its turn.
  socket.on("end", () => {
    hasEnded = true
    if (held.length === 0) guard(ended)
  })
  if (held.length === 0) return
  socket.pause()
  afterOthers(take)
}
