import { formatMicroTime, type Lease, nodeLeaseNamespace } from "@rollcall/api"
import {
  RenewalColumns,
  type RenewalOwner,
  type RenewalServer,
  type RenewalStay,
  type RenewalTimes
} from "@rollcall/cluster"
import type { Place, QuietSource, QuietWrites, StoreShape } from "@rollcall/store"
import type { TimersShape } from "@rollcall/time"
import type { Cached, LateObjects } from "../watch/KindCache.ts"
import type { Occurrence } from "../watch/Occurrence.ts"
import type { KindState } from "./KindState.ts"
import type { Objects } from "./Objects.ts"

/** Returns a Lease renewed at a time, with the revision of that renewal. */
const renewedAt = (lease: Lease, renewedMs: number, revision: number): Lease => ({
  ...lease,
  metadata: { ...lease.metadata, resourceVersion: String(revision) },
  spec: { ...lease.spec, renewTime: formatMicroTime(renewedMs) }
})

/**
 * The server's side of RenewalColumns: takes the revisions of renewals, tells the store and the watches' log of them, and
 * makes the Lease when a request or a watch reads it.
 */
export class QuietLeases implements RenewalServer, QuietSource, LateObjects {
  readonly columns: RenewalColumns
  private readonly state: KindState
  private readonly objects: Objects
  private readonly writes: QuietWrites
  private readonly entries: Array<Cached | undefined> = []

  private constructor(
    state: KindState,
    objects: Objects,
    quiet: NonNullable<StoreShape["quiet"]>,
    numbered: NonNullable<TimersShape["numbered"]>
  ) {
    this.state = state
    this.objects = objects
    this.columns = new RenewalColumns(this, numbered)
    this.writes = quiet(this)
    state.cache.late = this
    state.channel.setColumns(this.columns, (id, revision, renewedMs) => this.occurrenceOf(id, revision, renewedMs))
  }

  /** Returns undefined if the store needs every object, or if the timers have no numbered ones. */
  static of(state: KindState, objects: Objects): QuietLeases | undefined {
    const { quiet } = objects.store
    const { numbered } = objects.timers
    return quiet && numbered && new QuietLeases(state, objects, quiet, numbered)
  }

  /** Takes over the renewals of the Lease of a cache entry, unless somebody needs an object of each. */
  enter(cached: Cached, owner: RenewalOwner, times: RenewalTimes): RenewalStay | undefined {
    const { cache, channel } = this.state
    const { store, timers } = this.objects
    cached.place ??= store.place?.(cached.key)
    if (cached.place === undefined || cached.namespace !== nodeLeaseNamespace || cached.name !== owner.name)
      return undefined
    if (cache.isObserved || !channel.canReadColumns) return undefined
    const stay = this.columns.enter(owner, times, timers.now(), cached.revision)
    const id = this.columns.idOf(owner.name)
    if (stay !== undefined && id !== undefined) this.entries[id] = cached
    return stay
  }

  renew(id: number, nowMs: number): number {
    const { renewedMs, revision: revisions } = this.columns
    const revision = this.writes.write(id, nowMs, renewedMs[id] as number, revisions[id] as number)
    this.objects.advance(revision)
    this.objects.wakeWaiters()
    this.state.channel.publishQuiet(id, revision, nowMs)
    return revision
  }

  make(id: number): Lease {
    const { renewedMs, revision: revisions } = this.columns
    const revision = revisions[id] as number
    const cached = this.entries[id] as Cached
    const previous = cached.object
    const lease = this.valueOf(id, revision, renewedMs[id] as number)
    this.state.cache.putMade(cached, lease, revision)
    this.writes.settle(id, lease, revision)
    this.state.channel.sendMade({ revision, event: { type: "MODIFIED", object: lease }, previous, size: cached.size })
    return lease
  }

  release(id: number): void {
    this.writes.release(id)
    this.state.channel.releaseQuiet(id)
    this.entries[id] = undefined
  }

  valueOf(id: number, revision: number, renewedMs: number): Lease {
    return renewedAt((this.entries[id] as Cached).object as Lease, renewedMs, revision)
  }

  placeOf(id: number): Place {
    return (this.entries[id] as Cached).place as Place
  }

  settleAll(): void {
    this.columns.makeAll()
  }

  makeLate(namespace: string, name: string): void {
    const id = this.idOf(namespace, name)
    if (id !== undefined) this.columns.make(id)
  }

  makeAllLate(): void {
    this.columns.makeAll()
  }

  changes(namespace: string, name: string): void {
    const id = this.idOf(namespace, name)
    if (id !== undefined) this.columns.leave(id)
  }

  private idOf(namespace: string, name: string): number | undefined {
    return namespace === nodeLeaseNamespace && this.columns.size > 0 ? this.columns.idOf(name) : undefined
  }

  private occurrenceOf(id: number, revision: number, renewedMs: number): Occurrence {
    const { object: previous, size } = this.entries[id] as Cached
    const object = this.valueOf(id, revision, renewedMs)
    return { revision, event: { type: "MODIFIED", object }, previous, size }
  }
}
