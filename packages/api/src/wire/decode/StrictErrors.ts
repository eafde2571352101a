import { inOrderOfSchema, maxRecordedText, maxStrictErrors, UNKNOWN_FIELDS } from "./strictOrder.ts"

/** The errors of a strict decoder: unknown and duplicate fields by their paths, up to a number and a size. */
export class StrictErrors {
  private readonly errors = new Set<string>()
  /** Those in metadata of a custom resource: where they come among the others. */
  private readonly ofMetadata = new Map<string, number>()
  private recordedCharacters = 0

  record(what: "unknown" | "duplicate", path: string, key: string): void {
    if (this.errors.size >= maxStrictErrors || this.recordedCharacters > maxRecordedText) return
    this.recordedCharacters += path.length + key.length
    this.errors.add(`${what} field ${JSON.stringify(path === "" ? key : `${path}.${key}`)}`)
  }

  /**
   * Returns a value that its schema has no type for, without the fields of its maps, which are unknown. Upstream:
   * apiextensions-apiserver/pkg/apiserver/schema/pruning.
   */
  pruned(value: unknown, path: string): unknown {
    if (Array.isArray(value)) return value.map((item, index) => this.pruned(item, `${path}[${index}]`))
    if (typeof value !== "object" || value === null) return value
    for (const key of Object.keys(value)) this.record("unknown", path, key)
    return {}
  }

  /** Adds those of metadata, which Go decodes apart: of the object itself, or of one within it. */
  addOfMetadata({ errors }: StrictErrors, isOwn: boolean): void {
    for (const error of errors) {
      this.errors.add(error)
      this.ofMetadata.set(error, isOwn ? UNKNOWN_FIELDS - 1 : UNKNOWN_FIELDS + 1)
    }
  }

  /** All in text order. */
  get all(): ReadonlyArray<string> {
    return [...this.errors]
  }

  /** All of a custom resource, in the order in which Go finds them. */
  get inOrderOfSchema(): ReadonlyArray<string> {
    return inOrderOfSchema(this.all, this.ofMetadata)
  }
}
