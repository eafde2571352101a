import { formatTime, type KubeObject, type Node } from "@rollcall/api"
import { type HeartbeatStay, ReportColumns, type ReportOwner, withHeartbeatTimes } from "@rollcall/cluster"
import type { StoreShape } from "@rollcall/store"
import type { TimersShape } from "@rollcall/time"
import type { Cached } from "../watch/KindCache.ts"
import type { KindState } from "./KindState.ts"
import type { Objects } from "./Objects.ts"
import { QuietKind } from "./QuietKind.ts"

/** The Nodes, whose unchanged statuses are kept in columns. */
export class QuietNodes extends QuietKind {
  readonly columns: ReportColumns

  constructor(
    state: KindState,
    objects: Objects,
    quiet: NonNullable<StoreShape["quiet"]>,
    numbered: NonNullable<TimersShape["numbered"]>
  ) {
    super(state, objects, quiet, "")
    this.columns = new ReportColumns(this, numbered)
    this.connect()
  }

  enter(cached: Cached, owner: ReportOwner): HeartbeatStay | undefined {
    return this.enterEntry(cached, owner.name, () => this.columns.enter(owner, cached.revision))
  }

  protected withHeartbeat(id: number, object: KubeObject, timeMs: number): KubeObject {
    return withHeartbeatTimes(object as Node, this.columns.ownerOf(id).conditions, formatTime(timeMs))
  }
}
