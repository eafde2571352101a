import type { KubeObject } from "@rollcall/api"
import type { WatchEvent, WatchRequest, WatchSink } from "@rollcall/cluster"
import { StoreConflict } from "@rollcall/store"
import { guarded } from "@rollcall/time"
import * as Result from "effect/Result"
import { Channel, type WatchStart } from "../watch/Channel.ts"
import { type Cached, KindCache } from "../watch/KindCache.ts"
import type { Selection } from "../watch/Selection.ts"
import type { KindDefinition, ViewOf } from "./KindDefinition.ts"
import type { Base, KindState } from "./KindState.ts"
import { type StoreReply, stamp } from "./Objects.ts"

/** Caches conversions: objects are immutable, so each is converted once for all readers. */
class Converted {
  private readonly view: ViewOf
  private readonly made = new WeakMap<KubeObject, KubeObject>()

  constructor(view: ViewOf) {
    this.view = view
  }

  of(object: KubeObject): KubeObject {
    const known = this.made.get(object)
    if (known !== undefined) return known
    const made = this.view.fromStorage(object)
    this.made.set(object, made)
    return made
  }
}

/** A cache without contents of its own: it shows another one's objects. */
class ViewCache extends KindCache {
  private readonly base: KindCache
  private readonly converted: Converted

  constructor(definition: KindDefinition, base: KindCache, converted: Converted) {
    super(definition.prefix, base.namespaced, undefined, base.handleError)
    this.base = base
    this.converted = converted
  }

  override get size(): number {
    return this.base.size
  }

  override keyOf(namespace: string, name: string): string {
    return this.base.keyOf(namespace, name)
  }

  override get(namespace: string, name: string): Cached | undefined {
    const cached = this.base.get(namespace, name)
    return cached === undefined ? undefined : { ...cached, object: this.converted.of(cached.object) }
  }

  override visit(namespace: string | undefined, visitor: (object: KubeObject) => void): void {
    this.base.visit(namespace, (object) => visitor(this.converted.of(object)))
  }
}

/** The watches of a view are watches of its base whose events are converted. */
class ViewChannel extends Channel {
  private readonly base: Channel
  private readonly converted: Converted
  private readonly definition: KindDefinition
  private readonly ends = new Set<() => void>()
  private readonly events = new WeakMap<WatchEvent, WatchEvent>()

  constructor(definition: KindDefinition, base: Channel, converted: Converted) {
    super({ ...base.options, definition })
    this.definition = definition
    this.base = base
    this.converted = converted
  }

  override watch(request: WatchRequest, selection: Selection, start: WatchStart, sink: WatchSink): () => void {
    const { matches } = selection
    const own: Selection = {
      ...selection,
      matches: matches === undefined ? undefined : (object) => matches(this.converted.of(object))
    }
    const stop = this.base.watch(request, own, start, {
      events: (batch) => sink.events(batch.map((event) => this.shown(event))),
      end: (error) => {
        this.ends.delete(close)
        sink.end(error)
      }
    })
    const close = () => {
      this.ends.delete(close)
      stop()
      sink.end(undefined)
    }
    this.ends.add(close)
    return () => {
      this.ends.delete(close)
      stop()
    }
  }

  override close(): void {
    for (const end of [...this.ends]) guarded(this.options.timers, "watch", end)
  }

  /** Converts an event of the base once for all watchers of the view. */
  private shown(event: WatchEvent): WatchEvent {
    const known = this.events.get(event)
    if (known !== undefined) return known
    const made = this.convert(event)
    this.events.set(event, made)
    return made
  }

  private convert(event: WatchEvent): WatchEvent {
    if (event.type === "ERROR") return event
    if (event.type !== "BOOKMARK") return { type: event.type, object: this.converted.of(event.object) }
    const { apiVersion, resource } = this.definition
    return { type: "BOOKMARK", object: { ...event.object, apiVersion, kind: resource.kind } }
  }
}

/** The run-time state of a view: the base's objects and watches, converted. */
export const viewState = (definition: KindDefinition, view: ViewOf, base: KindState): KindState => {
  const converted = new Converted(view)
  return {
    definition,
    cache: new ViewCache(definition, base.cache, converted),
    channel: new ViewChannel(definition, base.channel, converted),
    expiry: undefined,
    base: { state: base, view }
  }
}

/** Performs a write to a view's object on the base's object, at the revision that the view showed. */
export const throughView = (
  base: Base,
  shown: Cached,
  object: KubeObject,
  reply: StoreReply,
  write: (real: Cached, stored: KubeObject, done: StoreReply) => void
) => {
  const real = base.state.cache.get(shown.namespace, shown.name)
  if (real === undefined || real.revision !== shown.revision) {
    return reply(Result.fail(new StoreConflict({ key: shown.key, actual: real?.revision ?? 0 })))
  }
  const stored = storedForm(base, object)
  write(real, stored, copyRevision(stored, object, reply))
}

/** Returns the stored form of a view's object; its metadata is a copy, in which the revision is set. */
export const storedForm = ({ view }: Base, object: KubeObject): KubeObject => {
  const stored = view.toStorage(object)
  return { ...stored, metadata: { ...stored.metadata } }
}

/** Copies the revision of the stored object to the view's object after a write. */
export const copyRevision =
  (stored: KubeObject, shown: KubeObject, reply: StoreReply): StoreReply =>
  (result) => {
    if (Result.isSuccess(result)) stamp(shown, Number(stored.metadata.resourceVersion))
    reply(result)
  }
