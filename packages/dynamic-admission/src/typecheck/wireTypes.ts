import type { FieldType, MessageType, Scalar, WireType } from "@rollcall/api/wire"
import {
  BOOL,
  BYTES,
  type CelType,
  celName,
  DOUBLE,
  DYN,
  INT,
  listOf,
  mapOf,
  objectOf,
  STRING,
  TIMESTAMP
} from "@rollcall/cel"

/** What OpenAPI says of a scalar; undefined where it names no type: expressions do not see such fields. */
const scalars: Readonly<Record<Scalar, CelType | undefined>> = {
  string: STRING,
  bool: BOOL,
  int32: INT,
  int64: INT,
  double: DOUBLE,
  bytes: BYTES,
  Time: TIMESTAMP,
  MicroTime: TIMESTAMP,
  Duration: STRING,
  Quantity: undefined,
  IntOrString: DYN,
  RawExtension: objectOf(new Map(), 2),
  FieldsV1: objectOf(new Map(), 2),
  any: undefined
}

const typeOf = (type: WireType, outer: ReadonlySet<MessageType>): CelType | undefined => {
  switch (type.type) {
    case "scalar":
      return scalars[type.scalar]
    case "message":
      return messageType(type.message, outer)
    case "list": {
      const items = typeOf(type.items, outer)
      return items && listOf(items)
    }
    case "map": {
      const values = typeOf(type.values, outer)
      return values && mapOf(STRING, values)
    }
  }
}

const put = (fields: Map<string, CelType>, { name, type }: FieldType, outer: ReadonlySet<MessageType>) => {
  const fieldType = typeOf(type, outer)
  const shown = celName(name)
  if (fieldType !== undefined && shown !== undefined) fields.set(shown, fieldType)
}

const nothing: ReadonlySet<MessageType> = new Set()

/**
 * Returns the type of a message in expressions, as its OpenAPI schema has it; undefined if the schema has no type. A
 * message within itself is an object without fields. Upstream: apiserver/pkg/cel/openapi/resolver, PopulateRefs;
 * apiserver/pkg/cel/common, SchemaDeclType.
 */
export const messageType = (message: MessageType, outer = nothing): CelType | undefined => {
  if (message.isUnion) return undefined
  const fields = new Map<string, CelType>()
  if (outer.has(message)) return objectOf(fields, 2)
  const inner = new Set([...outer, message])
  if (message.gvk !== undefined) for (const name of ["apiVersion", "kind"]) fields.set(name, STRING)
  for (const field of message.fields.values()) put(fields, field, inner)
  return objectOf(fields, 2)
}
