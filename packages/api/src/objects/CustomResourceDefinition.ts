import * as Schema from "effect/Schema"
import { list, Opaque, oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { ConditionStatus, Time } from "./Scalars.ts"

export const CustomResourceDefinitionNames = Schema.Struct({
  plural: Schema.String,
  singular: opt(Schema.String),
  shortNames: opt(list(Schema.String)),
  kind: Schema.String,
  listKind: opt(Schema.String),
  categories: opt(list(Schema.String))
})
export interface CustomResourceDefinitionNames extends Schema.Schema.Type<typeof CustomResourceDefinitionNames> {}

export const CustomResourceColumnDefinition = Schema.Struct({
  name: Schema.String,
  type: Schema.String,
  format: opt(Schema.String),
  description: opt(Schema.String),
  priority: opt(Schema.Int),
  jsonPath: Schema.String
})
export interface CustomResourceColumnDefinition extends Schema.Schema.Type<typeof CustomResourceColumnDefinition> {}

export const CustomResourceSubresources = Schema.Struct({
  status: opt(Opaque),
  scale: opt(
    Schema.Struct({
      specReplicasPath: Schema.String,
      statusReplicasPath: Schema.String,
      labelSelectorPath: opt(Schema.String)
    })
  )
})
export interface CustomResourceSubresources extends Schema.Schema.Type<typeof CustomResourceSubresources> {}

/** The schema (JSONSchemaProps) is passed through: the server of the custom resources reads it. */
export const CustomResourceDefinitionVersion = Schema.Struct({
  name: Schema.String,
  served: Schema.Boolean,
  storage: Schema.Boolean,
  deprecated: opt(Schema.Boolean),
  deprecationWarning: opt(Schema.String),
  schema: opt(Schema.Struct({ openAPIV3Schema: opt(Opaque) })),
  subresources: opt(CustomResourceSubresources),
  additionalPrinterColumns: opt(list(CustomResourceColumnDefinition)),
  selectableFields: opt(list(Schema.Struct({ jsonPath: Schema.String })))
})
export interface CustomResourceDefinitionVersion extends Schema.Schema.Type<typeof CustomResourceDefinitionVersion> {}

export const CustomResourceDefinitionSpec = Schema.Struct({
  group: Schema.String,
  names: CustomResourceDefinitionNames,
  scope: oneOf("Namespaced", "Cluster"),
  versions: list(CustomResourceDefinitionVersion),
  conversion: opt(Schema.Struct({ strategy: oneOf("None", "Webhook"), webhook: opt(Opaque) })),
  preserveUnknownFields: opt(Schema.Boolean)
})
export interface CustomResourceDefinitionSpec extends Schema.Schema.Type<typeof CustomResourceDefinitionSpec> {}

export const CustomResourceDefinitionCondition = Schema.Struct({
  type: oneOf(
    "Established",
    "NamesAccepted",
    "NonStructuralSchema",
    "Terminating",
    "KubernetesAPIApprovalPolicyConformant"
  ),
  status: ConditionStatus,
  lastTransitionTime: opt(Schema.NullOr(Time)),
  reason: opt(Schema.String),
  message: opt(Schema.String),
  observedGeneration: opt(Schema.Int)
})
export interface CustomResourceDefinitionCondition
  extends Schema.Schema.Type<typeof CustomResourceDefinitionCondition> {}

export const CustomResourceDefinitionStatus = Schema.Struct({
  conditions: opt(Schema.NullOr(list(CustomResourceDefinitionCondition))),
  acceptedNames: opt(CustomResourceDefinitionNames),
  storedVersions: opt(Schema.NullOr(list(Schema.String))),
  observedGeneration: opt(Schema.Int)
})
export interface CustomResourceDefinitionStatus extends Schema.Schema.Type<typeof CustomResourceDefinitionStatus> {}

/** A user-defined kind. Cluster-scoped. */
export const CustomResourceDefinition = Schema.Struct({
  ...typed("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
  spec: CustomResourceDefinitionSpec,
  status: opt(CustomResourceDefinitionStatus)
})
export interface CustomResourceDefinition extends Schema.Schema.Type<typeof CustomResourceDefinition> {}
