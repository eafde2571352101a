import { sortedEntries } from "@rollcall/api"
import type { FieldType, MessageType, Scalar, WireType } from "@rollcall/api/wire"
import { kindsOf } from "./everyVersion.ts"
import type { Gvk, Json } from "./OpenApiKind.ts"
import { unions } from "./unions.ts"

/**
 * Makes schemas from wire types. Versions 2 and 3 differ in the location of schemas, and in what is allowed beside a
 * reference. Upstream: kube-openapi/pkg/builder{,3}.
 */
export type OpenApiVersion = "v2" | "v3"

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1"

/** Scalars with their own schemas, to which fields refer. */
const namedScalars: Partial<Record<Scalar, string>> = {
  Time: `${meta}.Time`,
  MicroTime: `${meta}.MicroTime`,
  Duration: `${meta}.Duration`,
  FieldsV1: `${meta}.FieldsV1`,
  Quantity: "io.k8s.apimachinery.pkg.api.resource.Quantity",
  IntOrString: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
  RawExtension: "io.k8s.apimachinery.pkg.runtime.RawExtension"
}

const namedSchemas = (version: OpenApiVersion): Partial<Record<Scalar, Json>> => {
  const either = (...types: ReadonlyArray<string>): Json =>
    version === "v3" ? { oneOf: types.map((type) => ({ type })) } : { type: "string" }
  return {
    Time: { description: "A time of RFC 3339 in whole seconds.", format: "date-time", type: "string" },
    MicroTime: { description: "A time of RFC 3339 with six digits of fraction.", format: "date-time", type: "string" },
    Duration: { description: "A duration, such as 1h30m.", type: "string" },
    FieldsV1: { description: "A set of fields, as a tree of their paths.", type: "object" },
    Quantity: {
      description: "A number with a suffix: 100m, 1Gi, 3.",
      ...either("string", "number")
    },
    IntOrString: {
      description: "A number, or a text such as a percentage or a name.",
      format: "int-or-string",
      ...either("integer", "string")
    },
    RawExtension: { description: "Any object, kept as it is.", type: "object" }
  }
}

/** The schemas of the other scalars. */
const plainSchemas: Partial<Record<Scalar, Json>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" }
}

/** Removes undefined fields. */
export const omitUndefined = (fields: Readonly<Record<string, unknown>>): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** The schemas of a document, collected by name. */
export class Schemas {
  private readonly byName = new Map<string, Json>()
  private readonly version: OpenApiVersion
  private readonly prefix: string
  private readonly of: Pick<Gvk, "group" | "version"> | undefined

  /** `of` is the group version of a version 3 document. */
  constructor(version: OpenApiVersion, of?: Pick<Gvk, "group" | "version">) {
    this.version = version
    this.of = of
    this.prefix = version === "v3" ? "#/components/schemas/" : "#/definitions/"
  }

  /** Returns all collected schemas and those they refer to, sorted by name. */
  all(): Json {
    return Object.fromEntries(sortedEntries(this.byName))
  }

  /** Adds a schema, or replaces the one of this name. */
  add(name: string, schema: Json): void {
    this.byName.set(name, schema)
  }

  /** Returns a reference to a schema that is added separately. */
  refTo(name: string): Json {
    return { $ref: `${this.prefix}${name}` }
  }

  /** Returns a reference to a message, and adds its schema. */
  message(type: MessageType): Json {
    const { fullName } = type
    if (!this.byName.has(fullName)) {
      // The name is reserved first: types may be recursive.
      this.byName.set(fullName, {})
      this.byName.set(fullName, this.schemaOf(type))
    }
    return this.refTo(fullName)
  }

  private schemaOf(type: MessageType): Json {
    const fields = [...type.fields.values()]
    const required = fields.filter((field) => field.required).map(({ name }) => name)
    const properties: Record<string, Json> = {}
    if (type.gvk !== undefined) {
      properties.apiVersion = {
        description: "APIVersion defines the group and version of the schema of this object.",
        type: "string"
      }
      properties.kind = { description: "The REST resource that this object is.", type: "string" }
    }
    for (const field of fields) properties[field.name] = this.field(field)
    return omitUndefined({
      description: type.description,
      properties: Object.keys(properties).length === 0 ? undefined : properties,
      required: required.length === 0 ? undefined : required,
      type: "object",
      "x-kubernetes-group-version-kind": kindsOf(type, this.of),
      "x-kubernetes-map-type": type.atomic ? "atomic" : undefined,
      "x-kubernetes-unions": unions[type.fullName]
    })
  }

  private field(field: FieldType): Json {
    const { enum: values, patchMergeKey, patchStrategy, type } = field
    return this.withFields(this.typeSchema(type, values), {
      description: field.description,
      default: this.version === "v2" ? undefined : field.default,
      enum: type.type === "scalar" ? values : undefined,
      ...this.mergeRules(field),
      "x-kubernetes-patch-merge-key": patchMergeKey,
      "x-kubernetes-patch-strategy": patchStrategy
    })
  }

  private mergeRules({ mergeMarker, type }: FieldType): Json {
    if (mergeMarker === "list") return { "x-kubernetes-list-type": "atomic" }
    if (mergeMarker !== undefined) return { "x-kubernetes-map-type": mergeMarker === "none" ? undefined : mergeMarker }
    if (type.type === "list") {
      return {
        "x-kubernetes-list-type": type.listType,
        "x-kubernetes-list-map-keys": type.keys.length === 0 ? undefined : type.keys
      }
    }
    return { "x-kubernetes-map-type": type.type === "map" && type.mapType === "atomic" ? "atomic" : undefined }
  }

  /** Adds fields beside a schema. In version 3 they are ignored beside a reference, so it moves into an allOf. */
  withFields(schema: Json, more: Readonly<Record<string, unknown>>): Json {
    const rest = omitUndefined(more)
    if (Object.keys(rest).length === 0) return schema
    return "$ref" in schema && this.version === "v3" ? { allOf: [schema], ...rest } : { ...schema, ...rest }
  }

  /** `values` are those of the items of a list, or the values of a map. */
  private typeSchema(type: WireType, values?: ReadonlyArray<string>): Json {
    const ofInner = values === undefined ? {} : { enum: values }
    switch (type.type) {
      case "message":
        return this.message(type.message)
      case "list":
        return { type: "array", items: { ...this.typeSchema(type.items), ...ofInner } }
      case "map":
        return { type: "object", additionalProperties: { ...this.typeSchema(type.values), ...ofInner } }
      case "scalar":
        return type.union === undefined ? this.scalar(type.scalar) : this.union(type.union)
    }
  }

  /** Returns a reference to a type that OpenAPI only names. */
  private union({ description, fullName }: MessageType): Json {
    this.byName.set(fullName, omitUndefined({ description }))
    return this.refTo(fullName)
  }

  private scalar(scalar: Scalar): Json {
    const name = namedScalars[scalar]
    if (name === undefined) return plainSchemas[scalar] ?? {}
    this.byName.set(name, namedSchemas(this.version)[scalar] ?? {})
    return this.refTo(name)
  }
}
