import { isFields } from "@rollcall/api/values"

/** The schema of a custom resource in a CustomResourceDefinition. Upstream: apiextensions/v1, JSONSchemaProps. */
export interface JsonSchema {
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly nullable?: boolean
  readonly default?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly required?: ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: boolean
  readonly exclusiveMaximum?: boolean
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly not?: JsonSchema
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean
  readonly "x-kubernetes-int-or-string"?: boolean
  readonly "x-kubernetes-embedded-resource"?: boolean
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map"
  readonly "x-kubernetes-list-map-keys"?: ReadonlyArray<string>
  readonly "x-kubernetes-map-type"?: "atomic" | "granular"
  readonly "x-kubernetes-validations"?: ReadonlyArray<ValidationRule>
}

/** A CEL rule. Upstream: apiextensions/v1, ValidationRule. */
export interface ValidationRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

/** Casts the schema of a definition, without checking it: CustomResourceDefinitions have been validated before. */
export const asSchema = (value: unknown): JsonSchema => (isFields(value) ? value : {})

/** Whether unknown fields are kept. */
export const preservesUnknown = (schema: JsonSchema): boolean => schema["x-kubernetes-preserve-unknown-fields"] === true

/** Returns the schema of the values of a map with arbitrary keys; undefined for other schemas. */
export const valuesOf = ({ additionalProperties }: JsonSchema): JsonSchema | undefined =>
  typeof additionalProperties === "object" ? additionalProperties : undefined

/** The fields of every object, and of every embedded object, besides those in its schema. */
export const typeMetaFields = ["apiVersion", "kind", "metadata"] as const

/** Returns the path of a field of the object at a path. */
export const child = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`)
