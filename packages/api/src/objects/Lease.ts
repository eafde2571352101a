import * as Schema from "effect/Schema"
import { opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { MicroTime } from "./Scalars.ts"

/** The holder of a lease, and the time of its last renewal. */
export const LeaseSpec = Schema.Struct({
  holderIdentity: opt(Schema.String),
  leaseDurationSeconds: opt(Schema.Int),
  acquireTime: opt(MicroTime),
  renewTime: opt(MicroTime),
  leaseTransitions: opt(Schema.Int),
  strategy: opt(Schema.String),
  preferredHolder: opt(Schema.String)
})
export interface LeaseSpec extends Schema.Schema.Type<typeof LeaseSpec> {}

/** A heartbeat of a node (in kube-node-lease), or the lock of a leader election. */
export const Lease = Schema.Struct({ ...typed("coordination.k8s.io/v1", "Lease"), spec: opt(LeaseSpec) })
export interface Lease extends Schema.Schema.Type<typeof Lease> {}
