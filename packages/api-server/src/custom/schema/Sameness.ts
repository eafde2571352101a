import { isFields } from "../../core/objects/values.ts"

/**
 * Whether values are what they were before an update. Remembers each answer, since a validation asks for an object and then for
 * each part of it: without, the cost is the size times the depth.
 */
export class Sameness {
  private readonly answers = new Map<object, { readonly old: unknown; readonly same: boolean }>()

  of(value: unknown, old: unknown): boolean {
    if (value === old) return true
    if (typeof value !== "object" || typeof old !== "object" || value === null || old === null) return false
    const known = this.answers.get(value)
    if (known !== undefined && known.old === old) return known.same
    const same = this.compare(value, old)
    this.answers.set(value, { old, same })
    return same
  }

  private compare(value: object, old: object): boolean {
    if (Array.isArray(value)) {
      return Array.isArray(old) && value.length === old.length && value.every((item, at) => this.of(item, old[at]))
    }
    if (!isFields(value) || !isFields(old)) return false
    const names = Object.keys(value)
    if (names.length !== Object.keys(old).length) return false
    return names.every((name) => Object.hasOwn(old, name) && this.of(value[name], old[name]))
  }
}
