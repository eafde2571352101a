import { isRawJson } from "../exactJson.ts"
import { putMember } from "./decode/putMember.ts"
import { keptText } from "./rawText.ts"

/*
 * Texts of Go may have bytes that are no UTF-8. Here each is a lone surrogate, U+DC80 to U+DCFF, until the text is written.
 */

const strayByte = /[\udc80-\udcff]/gu

/** Returns a text with U+FFFD in place of each byte that is no UTF-8, as Go writes it in JSON. */
export const wellFormedText = (text: string): string => text.replace(strayByte, "\ufffd")

/** Returns a value whose texts are well-formed, at any depth. */
export const withoutStrayBytes = (value: unknown): unknown => {
  if (typeof value === "string") return wellFormedText(value)
  if (Array.isArray(value)) return value.map(withoutStrayBytes)
  if (typeof value !== "object" || value === null || isRawJson(value) || keptText(value) !== undefined) return value
  const out: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) putMember(out, wellFormedText(name), withoutStrayBytes(member))
  return out
}
