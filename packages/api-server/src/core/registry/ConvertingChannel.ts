import type { KubeObject } from "@rollcall/api"
import { ApiError, type ClusterError, type WatchEvent, type WatchRequest, type WatchSink } from "@rollcall/cluster"
import { guarded } from "@rollcall/time"
import { Channel } from "../watch/Channel.ts"
import type { WatchStart } from "../watch/ChannelOptions.ts"
import { asAdded, asDeleted, type Occurrence } from "../watch/Occurrence.ts"
import type { Selection } from "../watch/Selection.ts"
import { watchBrokenError, watchExpiredError } from "../watch/watchErrors.ts"
import type { Converted } from "./Converted.ts"
import type { KindDefinition } from "./KindDefinition.ts"
import { notInitialized } from "./notInitialized.ts"

/** How many events are converted and sent together. */
const BATCH_EVENTS = 256
/** How many events of a watch may wait for their conversion; after more it ends, and its client lists again. */
const MAX_WAITING = 10_000

/** An event with the change that it is made of, if it is one. */
type Carrier = WatchEvent & { readonly change?: Occurrence }

/** The watches of a view whose conversion takes a call: watches of its base whose events are converted in order. */
export class ConvertingChannel extends Channel {
  private readonly definition: KindDefinition
  private readonly base: Channel
  private readonly converted: Converted
  private readonly watches = new Set<ConvertingWatch>()

  constructor(definition: KindDefinition, base: Channel, converted: Converted) {
    super({ ...base.options, definition })
    this.definition = definition
    this.base = base
    this.converted = converted
  }

  override watch(request: WatchRequest, selection: Selection, start: WatchStart, sink: WatchSink): () => void {
    const { base, converted, definition } = this
    const watch: ConvertingWatch = new ConvertingWatch(selection, definition, converted, sink, {
      ended: () => this.watches.delete(watch),
      handleError: (error) => this.options.timers.handleError("watch", error, { kind: definition.key })
    })
    this.watches.add(watch)
    // The selectors are those of converted objects, so that the base sends all events.
    const everything: Selection = {
      ...selection,
      indexedValue: undefined,
      matches: () => true,
      eventOf: (change): Carrier => ({ ...change.event, change })
    }
    watch.stopBase = base.watch(request, everything, start, watch)
    return () => watch.stop()
  }

  override get isWatched(): boolean {
    return this.watches.size > 0
  }

  override close(): void {
    for (const watch of [...this.watches]) guarded(this.options.timers, "watch", () => watch.close())
  }
}

interface WatchHooks {
  readonly ended: () => void
  readonly handleError: (error: unknown) => void
}

/** Receives the stored events of a watch, and sends them converted. */
class ConvertingWatch implements WatchSink {
  private readonly selection: Selection
  private readonly definition: KindDefinition
  private readonly converted: Converted
  private readonly sink: WatchSink
  private readonly hooks: WatchHooks
  private waiting: Array<Carrier> = []
  private isConverting = false
  private isActive = true
  private hasSent = false
  /** How the base ended, while events before that are still converted. */
  private ending: { readonly error: ClusterError | undefined } | undefined
  stopBase: () => void = () => {}

  constructor(
    selection: Selection,
    definition: KindDefinition,
    converted: Converted,
    sink: WatchSink,
    hooks: WatchHooks
  ) {
    this.selection = selection
    this.definition = definition
    this.converted = converted
    this.sink = sink
    this.hooks = hooks
  }

  events(batch: ReadonlyArray<WatchEvent>) {
    if (!this.isActive) return
    for (const event of batch) this.waiting.push(event)
    if (this.hasSent && this.waiting.length > MAX_WAITING) return this.finish(watchExpiredError(0, 0))
    this.convertNext()
  }

  end(error: ClusterError | undefined): void {
    this.ending = { error }
    this.convertNext()
  }

  stop(): void {
    if (!this.isActive) return
    this.isActive = false
    this.waiting = []
    this.hooks.ended()
    this.stopBase()
  }

  close(): void {
    this.finish(undefined)
  }

  private finish(error: ClusterError | undefined): void {
    if (!this.isActive) return
    this.stop()
    this.sink.end(error)
  }

  private convertNext(): void {
    if (this.isConverting || !this.isActive) return
    if (this.waiting.length === 0) {
      if (this.ending !== undefined) this.finish(this.ending.error)
      return
    }
    const batch = this.waiting.splice(0, BATCH_EVENTS)
    this.isConverting = true
    this.converted.prepareAll(this.unconverted(batch), (why) => {
      this.isConverting = false
      if (!this.isActive) return
      if (why !== undefined)
        return this.finish(this.hasSent ? undefined : new ApiError({ status: notInitialized(this.definition, why) }))
      try {
        const events = batch.flatMap((event) => this.shown(event) ?? [])
        this.hasSent = true
        if (events.length > 0) this.sink.events(events)
      } catch (error) {
        this.hooks.handleError(error)
        return this.finish(watchBrokenError())
      }
      this.convertNext()
    })
  }

  private unconverted(batch: ReadonlyArray<Carrier>): ReadonlyArray<KubeObject> {
    const found: Array<KubeObject> = []
    const add = (object: KubeObject | undefined) => {
      if (object !== undefined && !this.converted.has(object)) found.push(object)
    }
    for (const { change, object, type } of batch) {
      if (type === "ERROR" || type === "BOOKMARK") continue
      if (this.selection.matches !== undefined) add(change?.previous)
      add(object)
    }
    return found
  }

  /** Returns the event as its client sees it; undefined if it does not. */
  private shown(event: Carrier): WatchEvent | undefined {
    const { converted, definition, selection } = this
    if (event.type === "ERROR") return event
    if (event.type === "BOOKMARK") {
      const { apiVersion, resource } = definition
      return { type: "BOOKMARK", object: { ...event.object, apiVersion, kind: resource.kind } }
    }
    const { change, type } = event
    const object = converted.of(event.object)
    const { matches } = selection
    if (matches === undefined || change === undefined) {
      return matches === undefined || matches(object) ? { type, object } : undefined
    }
    const previous = change.previous && converted.of(change.previous)
    const shown: Occurrence = { ...change, event: { type, object } as Occurrence["event"], previous }
    const matchedBefore = previous !== undefined && matches(previous)
    if (type === "DELETED") return matches(previous ?? object) ? shown.event : undefined
    if (matches(object)) return matchedBefore ? shown.event : asAdded(shown)
    return matchedBefore ? asDeleted(shown) : undefined
  }
}
