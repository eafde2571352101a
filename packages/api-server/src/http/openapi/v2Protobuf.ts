import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire"
import type { Steps } from "../../core/turns/Steps.ts"
import type { Json, OnInvalidSchema } from "./OpenApiKind.ts"

/**
 * The version 2 document in the form that client-go requests: kubectl falls back to it for kinds that version 3 lacks
 * (`kind: List`, unknown kinds). Of the paths only the part that kubectl reads is written: the query parameters of
 * PATCH. The numbers are those of fields in gnostic's openapiv2/OpenAPIv2.proto; the methods are named for its
 * messages.
 */

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns a value or list of values as texts. */
const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.map(String) : value === undefined ? [] : [String(value)]

class DocumentWriter {
  readonly out = new BinaryWriter();

  *document({ definitions, info, paths }: Json, onInvalid: OnInvalidSchema): Steps<Uint8Array> {
    this.text(1, "2.0")
    this.nested(2, () => {
      if (!isFields(info)) return
      this.text(1, String(info.title))
      this.text(2, String(info.version))
    })
    this.nested(8, () => {
      for (const [name, item] of entries(paths)) this.named(2, name, () => this.path(item))
    })
    const encodedDefinitions: Array<Uint8Array> = []
    for (const [name, schema] of entries(definitions)) {
      encodedDefinitions.push(definition(name, schema, onInvalid))
      yield
    }
    this.nested(9, () => {
      for (const each of encodedDefinitions) this.out.raw(each)
    })
    return this.out.finish()
  }

  definition(name: string, schema: unknown): Uint8Array {
    this.named(1, name, () => this.schema(schema))
    return this.out.finish()
  }

  private text(number: number, value: string): void {
    this.out.tag(number, WireType.LengthDelimited).string(value)
  }

  private nested(number: number, write: () => void): void {
    this.out.tag(number, WireType.LengthDelimited).fork()
    write()
    this.out.join()
  }

  /** Writes one of its Named… messages: a name and a value. */
  private named(number: number, name: string, write: () => void): void {
    this.nested(number, () => {
      this.text(1, name)
      this.nested(2, write)
    })
  }

  /** Writes a message Any: a value as YAML, of which JSON is a subset. */
  private any(number: number, value: unknown): void {
    this.nested(number, () => this.text(2, JSON.stringify(value)))
  }

  private extensions(number: number, from: Fields): void {
    for (const [name, value] of Object.entries(from)) {
      if (name.startsWith("x-")) {
        this.nested(number, () => {
          this.text(1, name)
          this.any(2, value)
        })
      }
    }
  }

  private path(item: unknown): void {
    const patch = isFields(item) ? item.patch : undefined
    if (!isFields(patch)) return
    this.nested(8, () => {
      this.text(5, String(patch.operationId))
      for (const parameter of Array.isArray(patch.parameters) ? patch.parameters : []) {
        if (isFields(parameter) && parameter.in === "query") this.parameter(parameter)
      }
      this.extensions(13, patch)
    })
  }

  /** Writes ParametersItem, Parameter, NonBodyParameter and QueryParameterSubSchema. */
  private parameter(parameter: Fields): void {
    this.nested(8, () =>
      this.nested(1, () =>
        this.nested(2, () =>
          this.nested(3, () => {
            this.text(2, "query")
            this.text(3, String(parameter.description))
            this.text(4, String(parameter.name))
            this.text(6, String(parameter.type))
          })
        )
      )
    )
  }

  private schemas(named: unknown): void {
    for (const [name, schema] of entries(named)) this.named(1, name, () => this.schema(schema))
  }

  private schema(schema: unknown): void {
    if (!isFields(schema)) return
    const {
      $ref,
      additionalProperties,
      allOf,
      description,
      enum: values,
      format,
      items,
      properties,
      required,
      type
    } = schema
    if ($ref !== undefined) this.text(1, String($ref))
    if (format !== undefined) this.text(2, String(format))
    if (description !== undefined) this.text(4, String(description))
    if (schema.default !== undefined) this.any(5, schema.default)
    for (const name of texts(required)) this.text(19, name)
    for (const value of texts(values)) this.any(20, value)
    if (isFields(additionalProperties)) this.nested(21, () => this.nested(1, () => this.schema(additionalProperties)))
    if (type !== undefined) this.nested(22, () => this.text(1, String(type)))
    if (items !== undefined) this.nested(23, () => this.nested(1, () => this.schema(items)))
    for (const each of Array.isArray(allOf) ? allOf : []) this.nested(24, () => this.schema(each))
    if (properties !== undefined) this.nested(25, () => this.schemas(properties))
    this.extensions(31, schema)
  }
}

const entries = (value: unknown): ReadonlyArray<[string, unknown]> => (isFields(value) ? Object.entries(value) : [])

/**
 * Encodes one definition with a writer of its own, because one that fails leaves partial output; it is replaced by an
 * object with arbitrary fields.
 */
const definition = (name: string, schema: unknown, onInvalid: OnInvalidSchema): Uint8Array => {
  try {
    return new DocumentWriter().definition(name, schema)
  } catch (error) {
    onInvalid(name, error)
    return new DocumentWriter().definition(name, { type: "object", "x-kubernetes-preserve-unknown-fields": true })
  }
}

/** Encodes a version 2 document. Calls `onInvalid` for definitions that cannot be written. */
export const v2Protobuf = (document: Json, onInvalid: OnInvalidSchema = () => undefined): Steps<Uint8Array> =>
  new DocumentWriter().document(document, onInvalid)
