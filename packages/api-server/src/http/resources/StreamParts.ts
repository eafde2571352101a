import type { ClusterError } from "@rollcall/cluster"
import type { SentEvents } from "../metrics/WatchMetrics.ts"
import type { Outbox } from "../wire/Outbox.ts"
import type { EventEncoder, EventShape, StreamEncoding } from "./encodeEvent.ts"
import type { WatchChannel } from "./watchChannels.ts"

export interface StreamShape extends EventShape {
  readonly encoding: StreamEncoding
}

/** What a watch of a client needs. */
export interface StreamParts {
  readonly channel: WatchChannel
  readonly shape: StreamShape
  readonly encoder: EventEncoder
  readonly outbox: Outbox
  /** Counts and measures the events that are sent. */
  readonly sent: SentEvents
  /** Called when the list with which the watch begins has been sent; undefined if it begins with none. */
  readonly onListSent: (() => void) | undefined
  /** Called with an error that ends the stream: logs and counts it, and returns the error for the client. */
  readonly onError: (error: unknown) => ClusterError
  /** Called when the stream is over; `isDisconnected` says whether it was cut off because its client did not read. */
  readonly onEnd: (isDisconnected: boolean) => void
}
