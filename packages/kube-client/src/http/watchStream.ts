import { parsedWithoutNulls } from "@rollcall/api/wire"
import { ConnectionError, type WatchEvent, type WatchRequest, type WatchSink } from "@rollcall/cluster"
import type { Timer, TimersShape } from "@rollcall/time"
import { errorOf } from "./answer.ts"
import { LineSplitter } from "./LineSplitter.ts"
import type { RawRequest } from "./RawRequest.ts"
import type { Transport } from "./Transport.ts"

export interface WatchOptions {
  readonly timers: TimersShape
  /**
   * A watch with bookmarks that receives nothing for this long is considered broken; 0: never. Bookmarks arrive about
   * once a minute.
   */
  readonly idleMs: number
  readonly maxEventBytes: number
}

/** How long after its timeout a server may take to close a watch. */
const CLOSE_TOLERANCE_MS = 30_000

const isEvent = (value: unknown): value is WatchEvent => {
  if (typeof value !== "object" || value === null) return false
  const { object, type } = value as { readonly type?: unknown; readonly object?: unknown }
  return typeof type === "string" && typeof object === "object" && object !== null
}

/** Opens a watch and passes its lines to the sink as events: the events of one chunk in one call. */
export const watchStream = (
  transport: Transport,
  raw: RawRequest,
  request: WatchRequest,
  sink: WatchSink,
  { idleMs, maxEventBytes, timers }: WatchOptions
): (() => void) => {
  const lines = new LineSplitter(maxEventBytes)
  let idle: Timer | undefined
  let deadline: Timer | undefined
  let lastReceivedMs = timers.now()
  let isOver = false

  const stop = () => {
    isOver = true
    if (idle !== undefined) timers.cancel(idle)
    if (deadline !== undefined) timers.cancel(deadline)
  }
  const watchError = (what: string) => new ConnectionError({ message: `watch of ${raw.path}: ${what}` })
  const endWith = (error: ConnectionError | undefined) => {
    if (isOver) return
    stop()
    cancel()
    sink.end(error)
  }
  const startIdleTimer = () => {
    idle = timers.at(lastReceivedMs + idleMs, () => {
      if (timers.now() - lastReceivedMs >= idleMs) endWith(watchError(`nothing came for ${idleMs} ms`))
      else startIdleTimer()
    })
  }
  const parseEvents = (chunk: Uint8Array): Array<WatchEvent> => {
    const events: Array<WatchEvent> = []
    for (const line of lines.push(chunk)) {
      if (line === "" || line === "\r") continue
      const event: unknown = JSON.parse(line)
      if (!isEvent(event)) throw new Error(`not a watch event: ${line.slice(0, 80)}`)
      const object = parsedWithoutNulls(line, event.object)
      events.push(object === event.object ? event : ({ ...event, object } as WatchEvent))
    }
    return events
  }

  const cancel = transport.stream(raw, {
    head: (code) => code === 200,
    refused: (answer) => {
      stop()
      sink.end(errorOf(answer))
    },
    data: (chunk) => {
      if (isOver) return
      lastReceivedMs = timers.now()
      let events: ReadonlyArray<WatchEvent>
      try {
        events = parseEvents(chunk)
      } catch (cause) {
        return endWith(watchError(cause instanceof Error ? cause.message : String(cause)))
      }
      if (events.length > 0) sink.events(events)
    },
    end: (error) => {
      if (isOver) return
      stop()
      sink.end(error ?? (lines.unfinishedLength > 0 ? watchError("it ended within an event") : undefined))
    }
  })
  if (idleMs > 0 && request.allowWatchBookmarks === true) startIdleTimer()
  const seconds = request.timeoutSeconds ?? 0
  if (seconds > 0) deadline = timers.after(seconds * 1000 + CLOSE_TOLERANCE_MS, () => endWith(undefined))
  return () => {
    stop()
    cancel()
  }
}
