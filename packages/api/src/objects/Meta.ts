import * as Schema from "effect/Schema"
import { list, Opaque, oneOf, opt, StringMap } from "../internal/fields.ts"
import { ConditionStatus, Time } from "./Scalars.ts"

/** An object that this one goes with; the one with `controller` manages it. */
export const OwnerReference = Schema.Struct({
  apiVersion: Schema.String,
  kind: Schema.String,
  name: Schema.String,
  uid: Schema.String,
  controller: opt(Schema.Boolean),
  blockOwnerDeletion: opt(Schema.Boolean)
})
export interface OwnerReference extends Schema.Schema.Type<typeof OwnerReference> {}

/** Which fields a manager set last. Server-side apply. */
export const ManagedFieldsEntry = Schema.Struct({
  manager: opt(Schema.String),
  operation: opt(oneOf("Apply", "Update")),
  apiVersion: opt(Schema.String),
  time: opt(Time),
  fieldsType: opt(Schema.String),
  fieldsV1: opt(Opaque),
  subresource: opt(Schema.String)
})
export interface ManagedFieldsEntry extends Schema.Schema.Type<typeof ManagedFieldsEntry> {}

/** What every object has: names, versions, times, labels, owners. */
export const ObjectMeta = Schema.Struct({
  name: opt(Schema.String),
  generateName: opt(Schema.String),
  namespace: opt(Schema.String),
  selfLink: opt(Schema.String),
  uid: opt(Schema.String),
  resourceVersion: opt(Schema.String),
  generation: opt(Schema.Int),
  creationTimestamp: opt(Time),
  deletionTimestamp: opt(Time),
  deletionGracePeriodSeconds: opt(Schema.Int),
  labels: opt(StringMap),
  annotations: opt(StringMap),
  ownerReferences: opt(list(OwnerReference)),
  finalizers: opt(list(Schema.String)),
  managedFields: opt(list(ManagedFieldsEntry))
})
export interface ObjectMeta extends Schema.Schema.Type<typeof ObjectMeta> {}

/** Where a list stands: its revision, and how to go on. */
export const ListMeta = Schema.Struct({
  selfLink: opt(Schema.String),
  resourceVersion: opt(Schema.String),
  continue: opt(Schema.String),
  remainingItemCount: opt(Schema.Int)
})
export interface ListMeta extends Schema.Schema.Type<typeof ListMeta> {}

/** What every object has. */
export const KubeObject = Schema.Struct({
  apiVersion: Schema.String,
  kind: Schema.String,
  metadata: ObjectMeta
})
export interface KubeObject extends Schema.Schema.Type<typeof KubeObject> {}

/** A condition on one label. */
export const LabelSelectorRequirement = Schema.Struct({
  key: Schema.String,
  operator: oneOf("In", "NotIn", "Exists", "DoesNotExist"),
  values: opt(list(Schema.String))
})
export interface LabelSelectorRequirement extends Schema.Schema.Type<typeof LabelSelectorRequirement> {}

/** Objects by label: all conditions must hold, and an empty one selects everything. */
export const LabelSelector = Schema.Struct({
  matchLabels: opt(StringMap),
  matchExpressions: opt(list(LabelSelectorRequirement))
})
export interface LabelSelector extends Schema.Schema.Type<typeof LabelSelector> {}

/** `metav1.Condition`, of PodDisruptionBudgets and newer kinds. */
export const Condition = Schema.Struct({
  type: Schema.String,
  status: ConditionStatus,
  observedGeneration: opt(Schema.Int),
  lastTransitionTime: opt(Time),
  reason: opt(Schema.String),
  message: opt(Schema.String)
})
export interface Condition extends Schema.Schema.Type<typeof Condition> {}

/** Some object, as far as it is known. */
export const ObjectReference = Schema.Struct({
  apiVersion: opt(Schema.String),
  kind: opt(Schema.String),
  namespace: opt(Schema.String),
  name: opt(Schema.String),
  uid: opt(Schema.String),
  resourceVersion: opt(Schema.String),
  fieldPath: opt(Schema.String)
})
export interface ObjectReference extends Schema.Schema.Type<typeof ObjectReference> {}

/** An object of the same namespace. */
export const LocalObjectReference = Schema.Struct({ name: opt(Schema.String) })
export interface LocalObjectReference extends Schema.Schema.Type<typeof LocalObjectReference> {}
