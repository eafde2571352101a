import type { FieldOwnership } from "@rollcall/field-ownership"
import type { TimersShape } from "@rollcall/time"
import type { VirtualResource } from "../admission/VirtualResource.ts"
import type { ServerMetrics } from "../metrics/ServerMetrics.ts"
import type { KindState } from "../registry/KindState.ts"
import type { Registry } from "../registry/Registry.ts"
import type { SeededRandom } from "../registry/SeededRandom.ts"
import type { Turns } from "../turns/Turns.ts"
import type { AdmissionChains } from "./AdmissionChains.ts"
import type { Audit, Exchange } from "./Exchange.ts"

/** The services that request handlers share. */
export interface ServerCore {
  readonly registry: Registry
  readonly timers: TimersShape
  readonly random: SeededRandom
  readonly admission: AdmissionChains
  /** Divides the thread between long requests and others. */
  readonly turns: Turns
  /**
   * Maintains managedFields. If it is undefined, there are none, and the results of patches are not decoded as strictly
   * as bodies.
   */
  readonly ownership: FieldOwnership | undefined
  /** Issues tokens of service accounts; undefined in a server without keys for them. */
  readonly tokens: VirtualResource | undefined
  /** Undefined in a server that measures nothing. */
  readonly metrics: ServerMetrics | undefined
  /** Observes every write; set while the server runs (`ApiServerShape.setAudit`). */
  audit: Audit | undefined
  /** Whether the audit needs a record of every renewal of a Lease. */
  auditsRenewals?: boolean
}

/** Handles requests of one verb: answers by `exchange`, at once or later. `state` is the kind of the request. */
export type Handler<Request> = (core: ServerCore, exchange: Exchange, state: KindState, request: Request) => void
