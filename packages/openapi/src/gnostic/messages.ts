import type { OpenApiVersion } from "../Schemas.ts"

/*
 * The protobuf messages of OpenAPI documents: what the API's documents contain of gnostic's openapiv2/OpenAPIv2.proto and
 * openapiv3/OpenAPIv3.proto.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, number, type. `{X}` is a message with
 * the names and values of a map at 1, `{X}2` one that has them at 2; `any` is a value as YAML; `x-*` are the extensions. Of
 * a message that is `oneOf`, the first field is written that fits the value: `$ref` if it is a reference, `boolean` and the
 * like if it is of this type, `body` and the like if that is its `in`, and `*` always.
 */
const v2 = `
Document
  swagger 1 string
  info 2 Info
  paths 8 {PathItem}2
  definitions 9 {Schema}
  parameters 10 {Parameter}
  security 12 []{Strings}
  securityDefinitions 13 {SecurityDefinitionsItem}
Info
  title 1 string
  version 2 string
  description 3 string
PathItem
  get 2 Operation
  put 3 Operation
  post 4 Operation
  delete 5 Operation
  options 6 Operation
  head 7 Operation
  patch 8 Operation
  parameters 9 []ParametersItem
Operation
  tags 1 []string
  description 3 string
  operationId 5 string
  produces 6 []string
  consumes 7 []string
  parameters 8 []ParametersItem
  responses 9 {ResponseValue}
  schemes 10 []string
  deprecated 11 boolean
  x-* 13 any
ParametersItem oneOf
  $ref 2 Reference
  * 1 Parameter
Reference
  $ref 1 string
Parameter oneOf
  body 1 BodyParameter
  * 2 NonBodyParameter
BodyParameter
  description 1 string
  name 2 string
  in 3 string
  required 4 boolean
  schema 5 Schema
NonBodyParameter oneOf
  query 3 QueryParameter
  * 4 PathParameter
QueryParameter
  in 2 string
  description 3 string
  name 4 string
  type 6 string
  uniqueItems 20 boolean
PathParameter
  required 1 boolean
  in 2 string
  description 3 string
  name 4 string
  type 5 string
  uniqueItems 19 boolean
ResponseValue oneOf
  * 1 Response
Response
  description 1 string
  schema 2 SchemaItem
SchemaItem oneOf
  * 1 Schema
Schema
  $ref 1 string
  format 2 string
  title 3 string
  description 4 string
  default 5 any
  multipleOf 6 number
  maximum 7 number
  exclusiveMaximum 8 boolean
  minimum 9 number
  exclusiveMinimum 10 boolean
  maxLength 11 integer
  minLength 12 integer
  pattern 13 string
  maxItems 14 integer
  minItems 15 integer
  uniqueItems 16 boolean
  maxProperties 17 integer
  minProperties 18 integer
  required 19 []string
  enum 20 []any
  additionalProperties 21 SchemaOrBoolean
  type 22 Strings
  items 23 SchemaItem
  allOf 24 []Schema
  properties 25 {Schema}
  discriminator 26 string
  externalDocs 29 ExternalDocs
  example 30 any
  x-* 31 any
SchemaOrBoolean oneOf
  boolean 2 boolean
  * 1 Schema
ExternalDocs
  description 1 string
  url 2 string
SecurityDefinitionsItem oneOf
  * 2 ApiKeySecurity
ApiKeySecurity
  type 1 string
  name 2 string
  in 3 string
  description 4 string
Strings oneOf
  * 1 []string
`

const v3 = `
Document
  openapi 1 string
  info 2 Info
  paths 4 {PathItem}
  components 5 Components
Info
  title 1 string
  description 2 string
  version 6 string
Components
  schemas 1 {SchemaOrReference}
  securitySchemes 7 {SecuritySchemeOrReference}
SecuritySchemeOrReference oneOf
  * 1 SecurityScheme
SecurityScheme
  type 1 string
  description 2 string
  name 3 string
  in 4 string
PathItem
  get 4 Operation
  put 5 Operation
  post 6 Operation
  delete 7 Operation
  options 8 Operation
  head 9 Operation
  patch 10 Operation
  parameters 13 []ParameterOrReference
Operation
  tags 1 []string
  description 3 string
  operationId 5 string
  parameters 6 []ParameterOrReference
  requestBody 7 RequestBodyOrReference
  responses 8 {ResponseOrReference}2
  deprecated 10 boolean
  x-* 13 any
ParameterOrReference oneOf
  $ref 2 Reference
  * 1 Parameter
Reference
  $ref 1 string
  description 3 string
Parameter
  name 1 string
  in 2 string
  description 3 string
  required 4 boolean
  schema 10 SchemaOrReference
RequestBodyOrReference oneOf
  * 1 RequestBody
RequestBody
  description 1 string
  content 2 {MediaType}
  required 3 boolean
MediaType
  schema 1 SchemaOrReference
ResponseOrReference oneOf
  * 1 Response
Response
  description 1 string
  content 3 {MediaType}
SchemaOrReference oneOf
  $ref 2 Reference
  * 1 Schema
Schema
  nullable 1 boolean
  externalDocs 6 ExternalDocs
  example 7 any
  title 9 string
  multipleOf 10 number
  maximum 11 number
  exclusiveMaximum 12 boolean
  minimum 13 number
  exclusiveMinimum 14 boolean
  maxLength 15 integer
  minLength 16 integer
  pattern 17 string
  maxItems 18 integer
  minItems 19 integer
  uniqueItems 20 boolean
  maxProperties 21 integer
  minProperties 22 integer
  required 23 []string
  enum 24 []any
  type 25 string
  allOf 26 []SchemaOrReference
  oneOf 27 []SchemaOrReference
  anyOf 28 []SchemaOrReference
  not 29 Schema
  items 30 ItemsItem
  properties 31 {SchemaOrReference}
  additionalProperties 32 SchemaReferenceOrBoolean
  default 33 DefaultType
  description 34 string
  format 35 string
  x-* 36 any
ItemsItem oneOf
  * 1 SchemaOrReference
SchemaReferenceOrBoolean oneOf
  boolean 2 boolean
  * 1 SchemaOrReference
DefaultType oneOf
  number 1 number
  boolean 2 boolean
  string 3 string
ExternalDocs
  description 1 string
  url 2 string
`

/** What a field holds: a scalar, `any`, or a message by its name. */
export interface FieldKind {
  readonly of: string
  readonly isList: boolean
  /** The field of the names and values of a map; undefined if it is none. */
  readonly entriesAt: number | undefined
}

export interface MessageField extends FieldKind {
  readonly name: string
  readonly number: number
}

export interface GnosticMessage {
  readonly fields: ReadonlyArray<MessageField>
  readonly isOneOf: boolean
}

const fieldOf = (line: string): MessageField => {
  const [name = "", number, type = ""] = line.trim().split(" ")
  const isList = type.startsWith("[]")
  const of = isList ? type.slice(2) : type
  const [, inner, at] = /^\{(.+)\}(\d?)$/.exec(of) ?? []
  return { name, number: Number(number), isList, of: inner ?? of, entriesAt: (inner && Number(at || 1)) || undefined }
}

const parse = (table: string): ReadonlyMap<string, GnosticMessage> =>
  new Map(
    table
      .trim()
      .split(/\n(?=\S)/)
      .map((block) => {
        const [heading = "", ...lines] = block.split("\n")
        const [name = "", option] = heading.split(" ")
        return [name, { fields: lines.map(fieldOf), isOneOf: option === "oneOf" }]
      })
  )

const parsed = new Map<OpenApiVersion, ReadonlyMap<string, GnosticMessage>>()

/** Returns the messages of documents of a version by their names. */
export const gnosticMessages = (version: OpenApiVersion): ReadonlyMap<string, GnosticMessage> => {
  const messages = parsed.get(version) ?? parse(version === "v2" ? v2 : v3)
  parsed.set(version, messages)
  return messages
}
