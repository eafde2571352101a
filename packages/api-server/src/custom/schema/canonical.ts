import { isFields } from "../../core/objects/values.ts"

/** Keys sorted, so that equal values have equal texts. */
export const canonicalText = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value, sorted) : scalarText(value)

const scalarText = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value) : String(value))

const sorted = (_: string, inner: unknown): unknown =>
  isFields(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner
