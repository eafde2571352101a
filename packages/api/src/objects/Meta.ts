import * as Schema from "effect/Schema"
import { list, Opaque, oneOf, opt, StringMap } from "../internal/fields.ts"
import { ConditionStatus, Time } from "./Scalars.ts"

/** The owner of an object; the one with `controller` manages it. */
export const OwnerReference = Schema.Struct({
  apiVersion: Schema.String,
  kind: Schema.String,
  name: Schema.String,
  uid: Schema.String,
  controller: opt(Schema.Boolean),
  blockOwnerDeletion: opt(Schema.Boolean)
})
export interface OwnerReference extends Schema.Schema.Type<typeof OwnerReference> {}

/** The fields that a manager set last. Used by server-side apply. */
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

/** Metadata of every object: names, versions, times, labels, owners. */
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

/** Metadata of a list: its revision, and the continue token. */
export const ListMeta = Schema.Struct({
  selfLink: opt(Schema.String),
  resourceVersion: opt(Schema.String),
  continue: opt(Schema.String),
  remainingItemCount: opt(Schema.Int)
})
export interface ListMeta extends Schema.Schema.Type<typeof ListMeta> {}

/** The common fields of all objects. */
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

/** Selects objects by label: all conditions must hold, and an empty selector selects everything. */
export const LabelSelector = Schema.Struct({
  matchLabels: opt(StringMap),
  matchExpressions: opt(list(LabelSelectorRequirement))
})
export interface LabelSelector extends Schema.Schema.Type<typeof LabelSelector> {}

/** `metav1.Condition`, as used by PodDisruptionBudget and newer kinds. */
export const Condition = Schema.Struct({
  type: Schema.String,
  status: ConditionStatus,
  observedGeneration: opt(Schema.Int),
  lastTransitionTime: opt(Time),
  reason: opt(Schema.String),
  message: opt(Schema.String)
})
export interface Condition extends Schema.Schema.Type<typeof Condition> {}

/** A reference to any object, with the fields that are known. */
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

/** A reference to an object in the same namespace. */
export const LocalObjectReference = Schema.Struct({ name: opt(Schema.String) })
export interface LocalObjectReference extends Schema.Schema.Type<typeof LocalObjectReference> {}
