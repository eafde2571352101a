import type { MessageType, WireType } from "../WireType.ts"
import { Cursor } from "./Cursor.ts"
import { goStringName } from "./goNames.ts"
import { type Literal, readScalar } from "./goScalars.ts"
import { alwaysWritten, goTypeName, leftOut, zeroValue } from "./goTypes.ts"
import { putMember as put } from "./putMember.ts"

/**
 * Decodes a text by its type as Go's decoder does: in text order, with the first type mismatch reported at the end,
 * errors of types that decode themselves reported at once, and unknown and duplicate fields recorded by path. Upstream:
 * sigs.k8s.io/json (a fork of encoding/json).
 */

/** The maximum number of strict decoding errors, as upstream. */
const maxStrictErrors = 100

/**
 * The maximum text of paths built for such errors: an error may be found repeatedly below a path as long as the body,
 * and is reported once.
 */
const maxRecordedText = 4 * 1024 * 1024

/** Aborts the decoding. Never leaves this folder. */
export class Fatal extends Error {}

type Place = { struct: string; readonly names: Array<string> }

export class Reader {
  private readonly cursor: Cursor
  /** Custom resources: their schema's validation reports wrong types. */
  private readonly structural: boolean
  private readonly place: Place = { struct: "", names: [] }
  private readonly strict = new Set<string>()
  private path = ""
  private notedText = 0
  private saved: string | undefined

  constructor(text: string, structural: boolean) {
    this.cursor = new Cursor(text)
    this.structural = structural
  }

  get firstError(): string | undefined {
    return this.saved
  }

  get strictErrors(): ReadonlyArray<string> {
    return [...this.strict]
  }

  /** Decodes a message; undefined for null. */
  message(type: MessageType): unknown {
    const kind = this.cursor.kind()
    if (kind === "null") return this.skip()
    if (kind !== "object") return this.misfit(kind, `${type.goPackage}.${type.name}`)
    const out: Record<string, unknown> = {}
    const seen = new Set<string>()
    const { place } = this
    const outer = place.struct
    this.cursor.members((key) => {
      const isTypeMeta = type.gvk !== undefined && (key === "kind" || key === "apiVersion")
      const field = type.fields.get(key)
      if (field === undefined && !isTypeMeta) {
        if (type.preserveUnknown === true) {
          this.doubled(seen, key)
          this.at(key, () => put(out, key, this.free()))
        } else {
          this.note("unknown", key)
          this.cursor.raw()
        }
        return
      }
      this.doubled(seen, key)
      place.names.push(key)
      place.struct = type.name
      this.at(key, () => {
        const value = field === undefined ? this.typeMeta() : this.value(field.type)
        const gone = value === undefined || (field !== undefined && !this.structural && leftOut(field, value))
        if (gone) delete out[key]
        else put(out, key, value)
      })
      place.names.pop()
      place.struct = outer
    })
    if (!this.structural) for (const [name, zero] of alwaysWritten(type)) if (out[name] === undefined) out[name] = zero
    return out
  }

  private typeMeta(): unknown {
    return this.value({ type: "scalar", scalar: "string" })
  }

  private value(type: WireType): unknown {
    switch (type.type) {
      case "message":
        return this.message(type.message)
      case "scalar":
        return this.scalar(type)
      case "list":
        return this.list(type)
      case "map":
        return this.map(type)
    }
  }

  private list(type: Extract<WireType, { type: "list" }>): unknown {
    const kind = this.cursor.kind()
    if (kind === "null") return this.skip()
    if (kind !== "array") return this.misfit(kind, goTypeName(type))
    const out: Array<unknown> = []
    this.cursor.items((index) => {
      const path = this.path
      this.path = `${path}[${index}]`
      out.push(this.element(type.items))
      this.path = path
    })
    return out
  }

  private map(type: Extract<WireType, { type: "map" }>): unknown {
    const kind = this.cursor.kind()
    if (kind === "null") return this.skip()
    if (kind !== "object") return this.misfit(kind, goTypeName(type))
    const out: Record<string, unknown> = {}
    const seen = new Set<string>()
    this.cursor.members((key) => {
      this.doubled(seen, key)
      this.at(key, () => put(out, key, this.element(type.values)))
    })
    return out
  }

  private scalar(type: Extract<WireType, { type: "scalar" }>): unknown {
    const { scalar } = type
    const kind = this.cursor.kind()
    if (scalar === "any") return this.free()
    if (kind === "null") return this.skip()
    if (scalar === "RawExtension" || scalar === "FieldsV1") return this.cursor.literal(kind).value
    const literal = this.cursor.literal(kind)
    const read = readScalar(scalar, literal)
    if ("value" in read) return read.value
    if (this.structural) return literal.value
    if ("error" in read) {
      if (read.fatal) throw new Fatal(read.error)
      this.saved ??= read.error
      return undefined
    }
    const { fatal, found, into } = read.misfit
    if (fatal) throw new Fatal(this.misfitText(found, into))
    this.saved ??= this.misfitText(found, this.named(into))
    return undefined
  }

  /** Decodes JSON without a type: only duplicate fields are recorded. */
  private free(): unknown {
    const kind = this.cursor.kind()
    if (kind === "array") {
      const out: Array<unknown> = []
      this.cursor.items((index) => {
        const path = this.path
        this.path = `${path}[${index}]`
        out.push(this.free())
        this.path = path
      })
      return out
    }
    if (kind !== "object") return this.cursor.literal(kind === "null" ? "bool" : kind).value
    const out: Record<string, unknown> = {}
    const seen = new Set<string>()
    this.cursor.members((key) => {
      this.doubled(seen, key)
      this.at(key, () => put(out, key, this.free()))
    })
    return out
  }

  /** Skips a null; for a custom resource its schema decides whether null is allowed. */
  private skip(): null | undefined {
    this.cursor.raw()
    return this.structural ? null : undefined
  }

  /** Decodes an element of a list or map, which cannot be omitted. */
  private element(type: WireType): unknown {
    const value = this.value(type)
    return value === undefined ? zeroValue(type) : value
  }

  private misfit(found: Literal["kind"], into: string): unknown {
    const raw = this.cursor.raw()
    if (this.structural) return JSON.parse(raw)
    this.saved ??= this.misfitText(found, this.named(into))
    return undefined
  }

  /** Returns the Go name of a string type: many have a named type. */
  private named(into: string): string {
    if (into !== "string" && into !== "[]string") return into
    const { names, struct } = this.place
    return into.replace("string", goStringName(struct, names.at(-1) ?? ""))
  }

  private misfitText(found: string, into: string): string {
    const { names, struct } = this.place
    const where = names.length === 0 ? "Go value" : `Go struct field ${struct}.${names.join(".")}`
    return `json: cannot unmarshal ${found} into ${where} of type ${into}`
  }

  private at(key: string, read: () => void): void {
    const path = this.path
    this.path = path === "" ? key : `${path}.${key}`
    read()
    this.path = path
  }

  private doubled(seen: Set<string>, key: string): void {
    if (seen.has(key)) this.note("duplicate", key)
    seen.add(key)
  }

  private note(what: "unknown" | "duplicate", key: string): void {
    if (this.strict.size >= maxStrictErrors || this.notedText > maxRecordedText) return
    this.notedText += this.path.length + key.length
    this.strict.add(`${what} field ${JSON.stringify(this.path === "" ? key : `${this.path}.${key}`)}`)
  }
}
