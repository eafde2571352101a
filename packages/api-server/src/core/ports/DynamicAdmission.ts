import type { TimersShape } from "@rollcall/time"
import type { ChainPlugin } from "../admission/Admission.ts"
import type { ServerMetrics } from "../metrics/ServerMetrics.ts"
import type { Registry } from "../registry/Registry.ts"
import type { KindTable } from "../registry/table.ts"
import type { Authorizer } from "./Security.ts"

/** What admission by stored objects uses of the server. */
export interface DynamicAdmissionSource {
  readonly registry: Registry
  readonly timers: TimersShape
  /** Undefined in a server without security: then everything is allowed. */
  readonly authorizer: Authorizer | undefined
  /** Makes a unique id. */
  readonly makeId: () => string
  /** Undefined in a server that measures nothing. */
  readonly metrics: ServerMetrics | undefined
}

/**
 * Admission by policies, webhooks and labels that clients store. It is a parameter, so that an embedded server loads neither an
 * expression language nor an HTTPS client.
 */
export interface DynamicAdmissionPlan {
  /** Returns the table of kinds with the validation of expressions. */
  readonly define: (table: KindTable) => KindTable
  /** Makes the plugins of a server. */
  readonly make: (source: DynamicAdmissionSource) => ReadonlyArray<ChainPlugin>
}
