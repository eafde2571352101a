import type { KubeObject } from "@rollcall/api"
import type { WatchEvent, WatchRequest, WatchSink } from "@rollcall/cluster"
import { StoreConflict } from "@rollcall/store"
import { guarded } from "@rollcall/time"
import * as Result from "effect/Result"
import { Channel } from "../watch/Channel.ts"
import type { WatchStart } from "../watch/ChannelOptions.ts"
import { type Cached, KindCache } from "../watch/KindCache.ts"
import type { Selection } from "../watch/Selection.ts"
import { ConversionFailure, Converted } from "./Converted.ts"
import { ConvertingChannel } from "./ConvertingChannel.ts"
import type { KindDefinition, ViewOf } from "./KindDefinition.ts"
import type { KindState, ViewBase } from "./KindState.ts"
import { type StoreReply, setResourceVersion } from "./Objects.ts"

/** Returns the objects of a view. */
interface Conversions {
  of(stored: KubeObject): KubeObject
}

/** Converts stored objects to a view's form. Objects are immutable, so each is converted once for all readers. */
class ConvertedAtOnce implements Conversions {
  private readonly view: ViewOf
  private readonly byStored = new WeakMap<KubeObject, KubeObject>()

  constructor(view: ViewOf) {
    this.view = view
  }

  of(object: KubeObject): KubeObject {
    const known = this.byStored.get(object)
    if (known !== undefined) return known
    const converted = this.view.fromStorage(object)
    this.byStored.set(object, converted)
    return converted
  }
}

/** A cache without contents of its own: it returns the objects of another cache, converted. */
class ViewCache extends KindCache {
  private readonly base: KindCache
  private readonly conversions: Conversions

  constructor(definition: KindDefinition, base: KindCache, conversions: Conversions) {
    super(definition.prefix, base.namespaced, undefined, base.handleError)
    this.base = base
    this.conversions = conversions
  }

  override get size(): number {
    return this.base.size
  }

  override keyOf(namespace: string, name: string): string {
    return this.base.keyOf(namespace, name)
  }

  override get(namespace: string, name: string): Cached | undefined {
    const cached = this.base.get(namespace, name)
    if (cached === undefined) return undefined
    const { conversions } = this
    const { object } = cached
    if (conversions instanceof ConvertedAtOnce) return { ...cached, object: conversions.of(object) }
    // Whoever asks only whether there is an object need not wait for its conversion.
    return {
      ...cached,
      get object() {
        return conversions.of(object)
      }
    }
  }

  override visit(namespace: string | undefined, visitor: (object: KubeObject) => void): void {
    this.base.visit(namespace, (object) => visitor(this.conversions.of(object)))
  }
}

/** The watches of a view are watches of its base whose events are converted. */
class ViewChannel extends Channel {
  private readonly base: Channel
  private readonly conversions: Conversions
  private readonly definition: KindDefinition
  /** A function for each open watch of the view, which ends it. */
  private readonly closers = new Set<() => void>()
  /** The converted events by the events of the base. */
  private readonly events = new WeakMap<WatchEvent, WatchEvent>()

  constructor(definition: KindDefinition, base: Channel, conversions: Conversions) {
    super({ ...base.options, definition })
    this.definition = definition
    this.base = base
    this.conversions = conversions
  }

  override watch(request: WatchRequest, selection: Selection, start: WatchStart, sink: WatchSink): () => void {
    const { matches } = selection
    // The selection matches objects of the view; the base's watch calls it with stored objects.
    const storedSelection: Selection = {
      ...selection,
      matches: matches === undefined ? undefined : (object) => matches(this.conversions.of(object))
    }
    const stop = this.base.watch(request, storedSelection, start, {
      events: (batch) => sink.events(batch.map((event) => this.convertedEvent(event))),
      end: (error) => {
        this.closers.delete(close)
        sink.end(error)
      }
    })
    const close = () => {
      this.closers.delete(close)
      stop()
      sink.end(undefined)
    }
    this.closers.add(close)
    return () => {
      this.closers.delete(close)
      stop()
    }
  }

  override get isWatched(): boolean {
    return this.base.isWatched
  }

  override close(): void {
    for (const close of [...this.closers]) guarded(this.options.timers, "watch", close)
  }

  /** Converts an event of the base once for all watchers of the view. */
  private convertedEvent(event: WatchEvent): WatchEvent {
    const known = this.events.get(event)
    if (known !== undefined) return known
    const converted = this.convert(event)
    this.events.set(event, converted)
    return converted
  }

  private convert(event: WatchEvent): WatchEvent {
    if (event.type === "ERROR") return event
    if (event.type !== "BOOKMARK") return { type: event.type, object: this.conversions.of(event.object) }
    const { apiVersion, resource } = this.definition
    return { type: "BOOKMARK", object: { ...event.object, apiVersion, kind: resource.kind } }
  }
}

/** Makes the run-time state of a view: the base's objects and watches, converted. */
export const viewState = (definition: KindDefinition, view: ViewOf, base: KindState): KindState => {
  const converted = view.called && new Converted(view.called)
  const conversions = converted ?? new ConvertedAtOnce(view)
  return {
    definition,
    cache: new ViewCache(definition, base.cache, conversions),
    channel:
      converted === undefined
        ? new ViewChannel(definition, base.channel, conversions)
        : new ConvertingChannel(definition, base.channel, converted),
    expiry: undefined,
    base: { state: base, view, converted }
  }
}

/**
 * Performs a write to a view's object (`object`) on the base's object, if that still has the revision of `shown`;
 * otherwise replies with a conflict. `write` gets the base's cache entry and the object in its stored form.
 */
export const writeThroughView = (
  base: ViewBase,
  shown: Cached,
  object: KubeObject,
  isServed: (state: KindState) => boolean,
  reply: StoreReply,
  write: (real: Cached, stored: KubeObject, done: StoreReply) => void
) =>
  withStoredForm(base, object, isServed, reply, (stored) => {
    const real = base.state.cache.get(shown.namespace, shown.name)
    if (real === undefined || real.revision !== shown.revision) {
      return reply(Result.fail(new StoreConflict({ key: shown.key, actual: real?.revision ?? 0 })))
    }
    write(real, stored, copyRevisionAndReply(stored, object, reply))
  })

/**
 * Calls `proceed` with the stored form of a view's object; its metadata is a copy, in which the revision is set. Replies
 * with the failure of a conversion that takes a call.
 */
export const withStoredForm = (
  { converted, state, view }: ViewBase,
  object: KubeObject,
  isServed: (state: KindState) => boolean,
  reply: StoreReply,
  proceed: (stored: KubeObject) => void
) => {
  if (converted === undefined) {
    const stored = view.toStorage(object)
    return proceed({ ...stored, metadata: { ...stored.metadata } })
  }
  converted.toStorage(object, (result) => {
    if (Result.isFailure(result)) reply(Result.fail(result.failure))
    else if (isServed(state)) proceed(result.success)
    else reply(Result.fail(new ConversionFailure({ message: `${state.definition.key} is not served any more` })))
  })
}

/** Returns the last state of a removed object in its stored form: the store needs no conversion of it. */
export const lastStoredForm = ({ object }: Cached, last: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...last.metadata, ...labelsOf(object) }
})

const labelsOf = ({ metadata: { annotations, labels } }: KubeObject) => ({
  ...(annotations === undefined ? {} : { annotations }),
  ...(labels === undefined ? {} : { labels })
})

/** Returns a reply to a write of `stored` that first copies the new revision to the view's object, `shown`. */
export const copyRevisionAndReply =
  (stored: KubeObject, shown: KubeObject, reply: StoreReply): StoreReply =>
  (result) => {
    if (Result.isSuccess(result)) setResourceVersion(shown, Number(stored.metadata.resourceVersion))
    reply(result)
  }
