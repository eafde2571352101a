import * as Schema from "effect/Schema"
import { opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { MicroTime } from "./Scalars.ts"

/** Who holds it and when that was last confirmed. */
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

/** A heartbeat of a node (in kube-node-lease), or the lock of a leader. */
export const Lease = Schema.Struct({ ...typed("coordination.k8s.io/v1", "Lease"), spec: opt(LeaseSpec) })
export interface Lease extends Schema.Schema.Type<typeof Lease> {}
