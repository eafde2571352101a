import { parseExactly } from "../../exactJson.ts"
import { withSortedKeys } from "../../values.ts"
import { metadataWithoutEmpties } from "../empties.ts"
import { rememberOwned, rememberText } from "../rawText.ts"
import type { MessageType, WireType } from "../WireType.ts"
import { isWholeFloat } from "../wholeFloats.ts"
import { Cursor } from "./Cursor.ts"
import { goFieldName } from "./goNames.ts"
import { type Literal, readScalar } from "./goScalars.ts"
import { alwaysWrittenFields, goTypeName, isHeldEmpty, isOmittedByGo, keepsAtNull, zeroValue } from "./goTypes.ts"
import { compactJson } from "./jsonText.ts"
import { putMember as put } from "./putMember.ts"
import { StrictErrors } from "./StrictErrors.ts"

/**
 * Decodes a text by its type as Go's decoder does: in text order, with the first type mismatch reported at the end, errors of
 * types that decode themselves at once, and unknown and duplicate fields by path. Upstream: sigs.k8s.io/json.
 */

/** Aborts the decoding with Go's message. `decodeJson` catches it; no caller outside this folder sees it. */
export class Fatal extends Error {}

/** The innermost Go struct and the field names from the root to the value being read: Go's error messages show both. */
type GoField = { struct: MessageType | undefined; readonly names: Array<string> }

export class Reader {
  private readonly cursor: Cursor
  /** Whether the text is a custom resource: wrong types are then kept, because the validation by its schema reports them. */
  private readonly structural: boolean
  /** Whether a list or map was given as empty that Go would not write. */
  holdsEmpties = false
  /** The top-level fields of a custom resource that have whole numbers which Go reads as float64. */
  readonly wholeFloats = new Set<string>()
  private readonly goField: GoField = { struct: undefined, names: [] }
  /** The struct that errors name, if Go decodes the value apart from what is around it. */
  private outerStruct: MessageType | undefined
  private readonly strict: StrictErrors
  /** Whether Go converts the value from a map: the keys of maps are then no part of a path. */
  private readonly isConverted: boolean
  /** The path of the value being read, as strict errors show it: `spec.containers[0]`. */
  private path = ""
  /** The top-level field that it is in. */
  private topField: string | undefined
  private firstMismatch: string | undefined

  constructor(text: string, structural: boolean, isConverted = false) {
    this.isConverted = isConverted
    this.strict = new StrictErrors(isConverted)
    this.cursor = new Cursor(text)
    this.structural = structural
  }

  get firstError(): string | undefined {
    return this.firstMismatch
  }

  get strictErrors(): ReadonlyArray<string> {
    return this.structural ? this.strict.inOrderOfSchema : this.strict.all
  }

  get unknownFields(): ReadonlySet<string> {
    return this.strict.unknownFields
  }

  /** Decodes a message, into `before` if it is given again; undefined for null or, with `firstError`, another type. */
  message(type: MessageType, before?: unknown): unknown {
    const kind = this.cursor.kind()
    if (kind === "null") return this.skipNull()
    if (this.structural && type.name === "ObjectMeta") return this.metadata(type)
    if (kind !== "object") return this.typeMismatch(kind, `${type.goPackage}.${type.name}`)
    const out: Record<string, unknown> = { ...(before as object | undefined) }
    const seen = new Set<string>()
    const { goField } = this
    const outerStruct = goField.struct
    this.cursor.members((key) => {
      const isTypeMeta = type.gvk !== undefined && (key === "kind" || key === "apiVersion")
      const field = type.fields.get(key)
      if (field === undefined && !isTypeMeta) {
        if (type.preserveUnknown === true) {
          this.checkDuplicate(seen, key)
          this.inMember(key, () => put(out, key, this.untyped()))
        } else {
          this.strict.recordUnknown(this.path, key, this.topField)
          this.cursor.raw()
        }
        return
      }
      this.checkDuplicate(seen, key)
      const depth = goField.names.length
      if (field?.embeddedIn !== undefined && type.embeds !== undefined) {
        goField.names.push(...type.embeds.slice(0, field.embeddedIn.length))
      }
      goField.names.push(key)
      goField.struct = type
      this.inMember(key, () => {
        const held = this.structural ? undefined : out[key]
        if (held !== undefined && field !== undefined && keepsAtNull(field) && this.cursor.kind() === "null")
          return void this.cursor.raw()
        const value =
          field === undefined ? this.scalar({ type: "scalar", scalar: "string" }) : this.value(field.type, held)
        const isOmitted = field !== undefined && !this.structural && isOmittedByGo(field, value)
        const isEmpty = isOmitted && isHeldEmpty(field, value)
        this.holdsEmpties ||= isEmpty
        if (value === undefined || (isOmitted && !isEmpty)) delete out[key]
        else put(out, key, value)
      })
      goField.names.length = depth
      goField.struct = outerStruct
    })
    if (!this.structural)
      for (const [name, zero] of alwaysWrittenFields(type)) if (out[name] === undefined) out[name] = zero
    return out
  }

  /**
   * Decodes the metadata of a custom resource, or of an object within it: their types are those of Go, whatever its schema
   * is. Upstream: apiextensions-apiserver/pkg/apiserver/schema/objectmeta.
   */
  private metadata(type: MessageType): unknown {
    const raw = this.cursor.raw()
    const within = this.path === "metadata" ? "" : `${this.path}: Invalid value: ${compactJson(raw)}: `
    const reader = new Reader(raw, false)
    reader.path = this.path
    reader.topField = this.topField
    try {
      const read = reader.message(type)
      const value = reader.holdsEmpties ? metadataWithoutEmpties(type, read) : read
      this.strict.addOfMetadata(reader.strict, this.path === "metadata")
      const mismatch = reader.firstMismatch && (firstInOrder(type, raw) ?? reader.firstMismatch)
      if (mismatch !== undefined) this.firstMismatch ??= `${within}${mismatch}`
      return value
    } catch (error) {
      if (error instanceof Fatal) throw new Fatal(`${within}${firstInOrder(type, raw) ?? error.message}`)
      throw error
    }
  }

  /** Decodes a list of messages, as `message` does. */
  messages(type: MessageType): unknown {
    return this.value({ type: "list", items: { type: "message", message: type }, listType: "atomic", keys: [] })
  }

  private value(type: WireType, before?: unknown): unknown {
    switch (type.type) {
      case "message":
        return this.message(type.message, before)
      case "scalar":
        return this.scalar(type)
      case "list":
        return this.list(type, before as ReadonlyArray<unknown> | undefined)
      case "map":
        return this.map(type, before)
    }
  }

  private list(type: Extract<WireType, { type: "list" }>, before?: ReadonlyArray<unknown>): unknown {
    const kind = this.cursor.kind()
    if (kind === "null") return this.skipNull()
    if (kind !== "array") return this.typeMismatch(kind, goTypeName(type))
    const out: Array<unknown> = []
    this.cursor.items((index) => {
      const path = this.path
      this.path = `${path}[${index}]`
      out.push(this.element(type.items, before?.[index]))
      this.path = path
    })
    return out
  }

  private map(type: Extract<WireType, { type: "map" }>, before?: unknown): unknown {
    const kind = this.cursor.kind()
    if (kind === "null") return this.skipNull()
    if (kind !== "object") return this.typeMismatch(kind, goTypeName(type))
    const out: Record<string, unknown> = { ...(before as object | undefined) }
    const seen = new Set<string>()
    this.cursor.members((key) => {
      this.checkDuplicate(seen, key)
      const read = () => put(out, key, this.element(type.values))
      if (this.isConverted) read()
      else this.inMember(key, read)
    })
    return out
  }

  private scalar(type: Extract<WireType, { type: "scalar" }>): unknown {
    const { scalar } = type
    const kind = this.cursor.kind()
    if (type.union !== undefined) return this.union(type.union)
    if (scalar === "any")
      return type.isPruned === true
        ? this.strict.pruned(parseExactly(this.cursor.raw()), this.path, this.topField)
        : this.untyped()
    if (type.isTypeMeta === true && kind !== "string") {
      const shown = compactJson(this.cursor.raw())
      this.firstMismatch ??= `${this.path}: Invalid value: ${shown}: must be a string`
      return undefined
    }
    if (kind === "null") return this.skipNull()
    const literal = this.cursor.literal(kind)
    if (scalar === "RawExtension") rememberText(literal.value, literal.raw)
    if (scalar === "FieldsV1") rememberOwned(literal.value, literal.raw)
    if (scalar === "RawExtension" || scalar === "FieldsV1") return literal.value
    // A whole number of a custom resource keeps its digits.
    if (this.structural && scalar === "double" && kind === "number") return this.finite(literal)
    const read = readScalar(scalar, literal)
    if ("value" in read) return read.value
    if (this.structural) return this.strict.pruned(this.finite(literal), this.path, this.topField)
    if ("error" in read) {
      if (read.fatal) throw new Fatal(read.error)
      this.firstMismatch ??= read.error
      return undefined
    }
    const { fatal, found, into } = read.mismatch
    if (fatal) throw new Fatal(this.mismatchMessage(found, into))
    this.firstMismatch ??= this.mismatchMessage(found, this.goTypeNameOf(into))
    return undefined
  }

  /** Decodes a schema or something else as Go does, apart: it fails at the first wrong type, and names the outer struct. */
  private union({ fields, name }: MessageType): unknown {
    const kind = this.cursor.kind()
    if (name === "JSONSchemaPropsOrBool" && kind !== "object" && kind !== "bool" && kind !== "null") {
      throw new Fatal("boolean or JSON schema expected")
    }
    const wanted = kind === "object" ? "message" : kind === "array" ? "list" : undefined
    const field = [...fields.values()].find(({ type }) => type.type === wanted)
    // Neither a schema nor a list: nothing is set.
    if (field === undefined) return name.endsWith("Array") ? this.skipNull() : this.untyped()
    const raw = this.cursor.raw()
    const reader = new Reader(raw, false)
    // The converter gives what decodes itself its own JSON, whose errors know nothing of what is around it.
    if (!this.isConverted) {
      reader.goField.names.push(...this.goField.names)
      reader.outerStruct = this.outerStruct ?? this.goField.struct
    }
    reader.value(field.type)
    if (reader.firstMismatch !== undefined) throw new Fatal(reader.firstMismatch)
    return parseExactly(raw)
  }

  /** Decodes JSON without a type: only duplicate fields are recorded. */
  private untyped(): unknown {
    const kind = this.cursor.kind()
    if (kind === "array") {
      const out: Array<unknown> = []
      this.cursor.items((index) => {
        const path = this.path
        this.path = `${path}[${index}]`
        out.push(this.untyped())
        this.path = path
      })
      return out
    }
    if (kind !== "object") return this.finite(this.cursor.literal(kind === "null" ? "bool" : kind))
    const out: Record<string, unknown> = {}
    const seen = new Set<string>()
    this.cursor.members((key) => {
      this.checkDuplicate(seen, key)
      this.inMember(key, () => put(out, key, this.untyped()))
    })
    return out
  }

  /** Returns the value of a literal without a type. Go's float64 has no infinity in JSON. */
  private finite({ raw, value }: Literal): unknown {
    if (this.structural && isWholeFloat(raw, value)) this.wholeFloats.add(this.topField ?? "")
    if (value !== Infinity && value !== -Infinity) return value
    throw new Fatal(`json: cannot unmarshal number ${raw} into Go value of type float64`)
  }

  /** Skips a null; for a custom resource its schema decides whether null is allowed. */
  private skipNull(): null | undefined {
    this.cursor.raw()
    return this.structural ? null : undefined
  }

  /** Decodes an element of a list or map. Null becomes the zero value, because an element cannot be omitted. */
  private element(type: WireType, before?: unknown): unknown {
    const value = this.value(type, before)
    if (value !== undefined) return value
    // Storage does not tell nil bytes of an element from empty ones.
    return type.type === "scalar" && type.scalar === "bytes" ? "" : zeroValue(type)
  }

  private typeMismatch(found: Literal["kind"], into: string): unknown {
    const raw = this.cursor.raw()
    if (this.structural) return this.strict.pruned(parseExactly(raw), this.path, this.topField)
    this.firstMismatch ??= this.mismatchMessage(found, this.goTypeNameOf(into))
    return undefined
  }

  /** Returns the name of the field's Go type: many have one of their own, such as v1.Protocol. */
  private goTypeNameOf(into: string): string {
    const { names, struct } = this.goField
    return goFieldName(struct, names.at(-1) ?? "", into)
  }

  private mismatchMessage(found: string, into: string): string {
    const { names } = this.goField
    const struct = this.outerStruct ?? this.goField.struct
    const where = names.length === 0 ? "Go value" : `Go struct field ${struct?.name ?? ""}.${names.join(".")}`
    return `json: cannot unmarshal ${found} into ${where} of type ${into}`
  }

  private inMember(key: string, read: () => void): void {
    const { path, topField } = this
    this.path = path === "" ? key : `${path}.${key}`
    this.topField ??= key
    read()
    this.path = path
    this.topField = topField
  }

  private checkDuplicate(seen: Set<string>, key: string): void {
    if (seen.has(key)) this.strict.record("duplicate", this.path, key)
    seen.add(key)
  }
}

/** Returns the first error of metadata that Go reads: those of a custom resource with sorted keys. */
const firstInOrder = (type: MessageType, raw: string): string | undefined => {
  const reader = new Reader(JSON.stringify(withSortedKeys(parseExactly(raw))), false)
  try {
    reader.message(type)
    return reader.firstError
  } catch (error) {
    if (error instanceof Fatal) return error.message
    throw error
  }
}
