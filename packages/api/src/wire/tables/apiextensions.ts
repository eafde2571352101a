import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const apiextensions: Table = {
  package: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
  group: "apiextensions.k8s.io",
  messages: `
CustomResourceDefinition kind hasList # The definition of a custom resource.
  metadata 1 meta.ObjectMeta byValue
  spec 2 CustomResourceDefinitionSpec required byValue
  status 3 CustomResourceDefinitionStatus byValue
CustomResourceDefinitionSpec
  group 1 string required
  names 3 CustomResourceDefinitionNames required byValue
  scope 4 string required
  versions 7 []CustomResourceDefinitionVersion required
  conversion 9 CustomResourceConversion
  preserveUnknownFields 10 bool
CustomResourceConversion
  strategy 1 string required
  webhook 2 WebhookConversion
WebhookConversion
  clientConfig 2 WebhookClientConfig
  conversionReviewVersions 3 []string required
WebhookClientConfig
  url 3 string pointer
  service 1 ServiceReference
  caBundle 2 bytes
ServiceReference
  namespace 1 string required
  name 2 string required
  path 3 string pointer
  port 4 int32 pointer
CustomResourceDefinitionNames
  plural 1 string required
  singular 2 string
  shortNames 3 []string
  kind 4 string required
  listKind 5 string
  categories 6 []string
CustomResourceDefinitionVersion
  name 1 string required
  served 2 bool required
  storage 3 bool required
  deprecated 7 bool
  deprecationWarning 8 string pointer
  schema 4 CustomResourceValidation
  subresources 5 CustomResourceSubresources
  additionalPrinterColumns 6 []CustomResourceColumnDefinition
  selectableFields 9 []SelectableField
CustomResourceColumnDefinition
  name 1 string required
  type 2 string required
  format 3 string
  description 4 string
  priority 5 int32
  jsonPath 6 string required
CustomResourceValidation
  openAPIV3Schema 1 JSONSchemaProps
JSON union # Any JSON value.
  raw 1 bytes
JSONSchemaPropsOrArray union # A schema, or a list of schemas.
  schema 1 JSONSchemaProps
  jSONSchemas 2 []JSONSchemaProps
JSONSchemaPropsOrBool union # A schema, or whether any value is valid.
  allows 1 bool
  schema 2 JSONSchemaProps
JSONSchemaPropsOrStringArray union # A schema, or a list of names of fields.
  schema 1 JSONSchemaProps
  property 2 []string
JSONSchemaProps undescribed # The schema of a value.
  id 1 string
  $schema 2 string
  $ref 3 string pointer
  description 4 string
  type 5 string
  format 6 string # The form of a text or number, such as date-time.
  title 7 string
  default 8 JSON pointer # The value of the field where it is absent.
  maximum 9 double pointer
  exclusiveMaximum 10 bool
  minimum 11 double pointer
  exclusiveMinimum 12 bool
  maxLength 13 int64 pointer
  minLength 14 int64 pointer
  pattern 15 string
  maxItems 16 int64 pointer
  minItems 17 int64 pointer
  uniqueItems 18 bool
  multipleOf 19 double pointer
  enum 20 []JSON
  maxProperties 21 int64 pointer
  minProperties 22 int64 pointer
  required 23 []string
  items 24 JSONSchemaPropsOrArray pointer
  allOf 25 []JSONSchemaProps
  oneOf 26 []JSONSchemaProps
  anyOf 27 []JSONSchemaProps
  not 28 JSONSchemaProps
  properties 29 map[string]JSONSchemaProps
  additionalProperties 30 JSONSchemaPropsOrBool pointer
  patternProperties 31 map[string]JSONSchemaProps
  dependencies 32 map[string]JSONSchemaPropsOrStringArray
  additionalItems 33 JSONSchemaPropsOrBool pointer
  definitions 34 map[string]JSONSchemaProps
  externalDocs 35 ExternalDocumentation
  example 36 JSON pointer
  nullable 37 bool
  x-kubernetes-preserve-unknown-fields 38 bool pointer # Whether fields that the schema does not name are kept.
  x-kubernetes-embedded-resource 39 bool # Whether the value is an object with apiVersion, kind and metadata.
  x-kubernetes-int-or-string 40 bool # Whether the value is an integer or a text.
  x-kubernetes-list-map-keys 41 []string # The fields that identify an item of a list of type map.
  x-kubernetes-list-type 42 string pointer # How lists merge: atomic, set or map.
  x-kubernetes-map-type 43 string pointer # How objects merge: granular or atomic.
  x-kubernetes-validations 44 []ValidationRule listType=map listMapKeys=rule patchStrategy=merge patchMergeKey=rule # Rules in CEL that values must satisfy.
ExternalDocumentation undescribed
  description 1 string
  url 2 string
ValidationRule
  rule 1 string required
  message 2 string
  messageExpression 3 string
  reason 4 string pointer enum=FieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueRequired
  fieldPath 5 string
  optionalOldSelf 6 bool pointer
SelectableField
  jsonPath 1 string required
CustomResourceSubresources
  status 1 CustomResourceSubresourceStatus
  scale 2 CustomResourceSubresourceScale
CustomResourceSubresourceStatus # If present, the resource has the status subresource.
CustomResourceSubresourceScale
  specReplicasPath 1 string required
  statusReplicasPath 2 string required
  labelSelectorPath 3 string pointer
CustomResourceDefinitionStatus
  conditions 1 []CustomResourceDefinitionCondition noOmitEmpty listType=map listMapKeys=type
  acceptedNames 2 CustomResourceDefinitionNames noOmitEmpty byValue
  storedVersions 3 []string noOmitEmpty
  observedGeneration 4 int64
CustomResourceDefinitionCondition
  type 1 string required
  status 2 string required
  lastTransitionTime 3 Time
  reason 4 string
  message 5 string
  observedGeneration 6 int64
`
}
