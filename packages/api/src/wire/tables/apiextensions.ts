import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const apiextensions: Table = {
  package: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
  group: "apiextensions.k8s.io",
  text: `
CustomResourceDefinition kind list # The definition of a custom resource.
  metadata 1 meta.ObjectMeta &
  spec 2 CustomResourceDefinitionSpec ! &
  status 3 CustomResourceDefinitionStatus &
CustomResourceDefinitionSpec
  group 1 string !
  names 3 CustomResourceDefinitionNames ! &
  scope 4 string !
  versions 7 []CustomResourceDefinitionVersion !
  conversion 9 CustomResourceConversion
  preserveUnknownFields 10 bool
CustomResourceConversion
  strategy 1 string !
  webhook 2 WebhookConversion
WebhookConversion
  clientConfig 2 WebhookClientConfig
  conversionReviewVersions 3 []string !
WebhookClientConfig
  url 3 string *
  service 1 ServiceReference
  caBundle 2 bytes
ServiceReference
  namespace 1 string !
  name 2 string !
  path 3 string *
  port 4 int32 *
CustomResourceDefinitionNames
  plural 1 string !
  singular 2 string
  shortNames 3 []string
  kind 4 string !
  listKind 5 string
  categories 6 []string
CustomResourceDefinitionVersion
  name 1 string !
  served 2 bool !
  storage 3 bool !
  deprecated 7 bool
  deprecationWarning 8 string *
  schema 4 CustomResourceValidation
  subresources 5 CustomResourceSubresources
  additionalPrinterColumns 6 []CustomResourceColumnDefinition
  selectableFields 9 []SelectableField
CustomResourceColumnDefinition
  name 1 string !
  type 2 string !
  format 3 string
  description 4 string
  priority 5 int32
  jsonPath 6 string !
CustomResourceValidation
  openAPIV3Schema 1 JSONSchemaProps
JSONSchemaProps
  id 1 string
  $schema 2 string
  $ref 3 string *
  description 4 string
  type 5 string
  format 6 string
  title 7 string
  default 8 any
  maximum 9 double *
  exclusiveMaximum 10 bool
  minimum 11 double *
  exclusiveMinimum 12 bool
  maxLength 13 int64 *
  minLength 14 int64 *
  pattern 15 string
  maxItems 16 int64 *
  minItems 17 int64 *
  uniqueItems 18 bool
  multipleOf 19 double *
  enum 20 []any
  maxProperties 21 int64 *
  minProperties 22 int64 *
  required 23 []string
  items 24 any
  allOf 25 []JSONSchemaProps
  oneOf 26 []JSONSchemaProps
  anyOf 27 []JSONSchemaProps
  not 28 JSONSchemaProps
  properties 29 {}JSONSchemaProps
  additionalProperties 30 any
  patternProperties 31 {}JSONSchemaProps
  dependencies 32 {}any
  additionalItems 33 any
  definitions 34 {}JSONSchemaProps
  externalDocs 35 ExternalDocumentation
  example 36 any
  nullable 37 bool
  x-kubernetes-preserve-unknown-fields 38 bool *
  x-kubernetes-embedded-resource 39 bool
  x-kubernetes-int-or-string 40 bool
  x-kubernetes-list-map-keys 41 []string
  x-kubernetes-list-type 42 string *
  x-kubernetes-map-type 43 string *
  x-kubernetes-validations 44 []ValidationRule by(rule) merge(rule)
ExternalDocumentation
  description 1 string
  url 2 string
ValidationRule
  rule 1 string !
  message 2 string
  messageExpression 3 string
  reason 4 string *
  fieldPath 5 string
  optionalOldSelf 6 bool *
SelectableField
  jsonPath 1 string !
CustomResourceSubresources
  status 1 CustomResourceSubresourceStatus
  scale 2 CustomResourceSubresourceScale
CustomResourceSubresourceStatus # If present, the resource has the status subresource.
CustomResourceSubresourceScale
  specReplicasPath 1 string !
  statusReplicasPath 2 string !
  labelSelectorPath 3 string *
CustomResourceDefinitionStatus
  conditions 1 []CustomResourceDefinitionCondition 0 by(type)
  acceptedNames 2 CustomResourceDefinitionNames 0 &
  storedVersions 3 []string 0
  observedGeneration 4 int64
CustomResourceDefinitionCondition
  type 1 string !
  status 2 string !
  lastTransitionTime 3 Time
  reason 4 string
  message 5 string
  observedGeneration 6 int64
`
}
