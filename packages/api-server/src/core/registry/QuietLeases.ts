import { formatMicroTime, type KubeObject, type Lease, nodeLeaseNamespace } from "@rollcall/api"
import { type HeartbeatOwner, type HeartbeatStay, RenewalColumns, type RenewalTimes } from "@rollcall/cluster"
import type { StoreShape } from "@rollcall/store"
import type { TimersShape } from "@rollcall/time"
import type { Cached } from "../watch/KindCache.ts"
import type { KindState } from "./KindState.ts"
import type { Objects } from "./Objects.ts"
import { QuietKind } from "./QuietKind.ts"

/** The Leases of nodes, whose renewals are kept in columns. */
export class QuietLeases extends QuietKind {
  readonly columns: RenewalColumns

  constructor(
    state: KindState,
    objects: Objects,
    quiet: NonNullable<StoreShape["quiet"]>,
    numbered: NonNullable<TimersShape["numbered"]>
  ) {
    super(state, objects, quiet, nodeLeaseNamespace)
    this.columns = new RenewalColumns(this, numbered)
    this.connect()
  }

  enter(cached: Cached, owner: HeartbeatOwner, times: RenewalTimes): HeartbeatStay | undefined {
    const { timers } = this.objects
    return this.enterEntry(cached, owner.name, () => this.columns.enter(owner, times, timers.now(), cached.revision))
  }

  protected withHeartbeat(_: number, object: KubeObject, timeMs: number): KubeObject {
    const lease = object as Lease
    const renewed: Lease = { ...lease, spec: { ...lease.spec, renewTime: formatMicroTime(timeMs) } }
    return renewed
  }
}
