import { goQuote } from "../../validation/goQuote.ts"
import { inOrderOfSchema, maxRecordedText, maxStrictErrors, UNKNOWN_FIELDS } from "./strictOrder.ts"

/** The errors of a strict decoder: unknown and duplicate fields by their paths, up to a number and a size. */
export class StrictErrors {
  private readonly errors: Array<string> = []
  private readonly known = new Set<string>()
  /** Whether Go converts the value from a map: it then names a field as it is, and each time that it finds it. */
  private readonly isConverted: boolean
  /** Those in metadata of a custom resource: where they come among the others. */
  private readonly ofMetadata = new Map<string, number>()
  private recordedCharacters = 0
  /** The top-level fields that are unknown or have unknown fields: all of them, however many errors there are. */
  readonly unknownFields = new Set<string>()

  constructor(isConverted = false) {
    this.isConverted = isConverted
  }

  /** Records an unknown field within a top-level field, or an unknown top-level field. */
  recordUnknown(path: string, key: string, topField = key): void {
    this.unknownFields.add(topField)
    this.record("unknown", path, key)
  }

  record(what: "unknown" | "duplicate", path: string, key: string): void {
    if (this.errors.length >= maxStrictErrors || this.recordedCharacters > maxRecordedText) return
    this.recordedCharacters += path.length + key.length
    const name = path === "" ? key : `${path}.${key}`
    this.add(`${what} field ${this.isConverted ? `"${name}"` : goQuote(name)}`)
  }

  /**
   * Returns a value that its schema has no type for, without the fields of its maps, which are unknown. Upstream:
   * apiextensions-apiserver/pkg/apiserver/schema/pruning.
   */
  pruned(value: unknown, path: string, topField?: string): unknown {
    if (Array.isArray(value)) return value.map((item, index) => this.pruned(item, `${path}[${index}]`, topField))
    if (typeof value !== "object" || value === null) return value
    for (const key of Object.keys(value)) this.recordUnknown(path, key, topField)
    return {}
  }

  /** Adds those of metadata, which Go decodes apart: of the object itself, or of one within it. */
  addOfMetadata({ errors, unknownFields }: StrictErrors, isOwn: boolean): void {
    for (const field of unknownFields) this.unknownFields.add(field)
    for (const error of errors) {
      this.add(error)
      this.ofMetadata.set(error, isOwn ? UNKNOWN_FIELDS - 1 : UNKNOWN_FIELDS + 1)
    }
  }

  private add(error: string): void {
    if (this.known.has(error) && !this.isConverted) return
    this.known.add(error)
    this.errors.push(error)
  }

  /** All in text order. */
  get all(): ReadonlyArray<string> {
    return this.errors
  }

  /** All of a custom resource, in the order in which Go finds them. */
  get inOrderOfSchema(): ReadonlyArray<string> {
    return inOrderOfSchema(this.all, this.ofMetadata)
  }
}
