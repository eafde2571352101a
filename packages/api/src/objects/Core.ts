import * as Schema from "effect/Schema"
import { list, oneOf, opt, StringMap } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { LocalObjectReference, ObjectReference } from "./Meta.ts"
import { ConditionStatus, MicroTime, Time } from "./Scalars.ts"

/** Why a namespace has not been deleted yet. */
export const NamespaceCondition = Schema.Struct({
  type: Schema.String,
  status: ConditionStatus,
  lastTransitionTime: opt(Time),
  reason: opt(Schema.String),
  message: opt(Schema.String)
})
export interface NamespaceCondition extends Schema.Schema.Type<typeof NamespaceCondition> {}

/** A scope for names. Cluster-scoped. */
export const Namespace = Schema.Struct({
  ...typed("v1", "Namespace"),
  spec: opt(Schema.Struct({ finalizers: opt(list(Schema.String)) })),
  status: opt(Schema.Struct({ phase: opt(oneOf("Active", "Terminating")), conditions: opt(list(NamespaceCondition)) }))
})
export interface Namespace extends Schema.Schema.Type<typeof Namespace> {}

/** core/v1 Event. The API writes null for absent times. */
export const Event = Schema.Struct({
  ...typed("v1", "Event"),
  involvedObject: ObjectReference,
  reason: opt(Schema.String),
  message: opt(Schema.String),
  source: opt(Schema.Struct({ component: opt(Schema.String), host: opt(Schema.String) })),
  firstTimestamp: opt(Schema.NullOr(Time)),
  lastTimestamp: opt(Schema.NullOr(Time)),
  count: opt(Schema.Int),
  type: opt(oneOf("Normal", "Warning")),
  eventTime: opt(Schema.NullOr(MicroTime)),
  series: opt(Schema.Struct({ count: opt(Schema.Int), lastObservedTime: opt(Schema.NullOr(MicroTime)) })),
  action: opt(Schema.String),
  related: opt(ObjectReference),
  reportingComponent: opt(Schema.String),
  reportingInstance: opt(Schema.String)
})
export interface Event extends Schema.Schema.Type<typeof Event> {}

/** Configuration as keys and text. */
export const ConfigMap = Schema.Struct({
  ...typed("v1", "ConfigMap"),
  data: opt(StringMap),
  binaryData: opt(StringMap),
  immutable: opt(Schema.Boolean)
})
export interface ConfigMap extends Schema.Schema.Type<typeof ConfigMap> {}

/** Sensitive data; values of `data` are base64. */
export const Secret = Schema.Struct({
  ...typed("v1", "Secret"),
  data: opt(StringMap),
  stringData: opt(StringMap),
  type: opt(Schema.String),
  immutable: opt(Schema.Boolean)
})
export interface Secret extends Schema.Schema.Type<typeof Secret> {}

/** The identity of pods to the API. */
export const ServiceAccount = Schema.Struct({
  ...typed("v1", "ServiceAccount"),
  secrets: opt(list(ObjectReference)),
  imagePullSecrets: opt(list(LocalObjectReference)),
  automountServiceAccountToken: opt(Schema.Boolean)
})
export interface ServiceAccount extends Schema.Schema.Type<typeof ServiceAccount> {}
