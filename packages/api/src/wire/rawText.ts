import type { MessageType } from "./WireType.ts"

/*
 * The texts of values that Go keeps as they came (runtime.RawExtension): where Kubernetes forbids a change of such a
 * value, it compares texts, so that a blank or another order of members is a change.
 */

/** The texts that are not what JSON.stringify makes of the value. */
const texts = new WeakMap<object, string>()

export const rememberText = (value: unknown, text: string): void => {
  if (typeof value === "object" && value !== null && JSON.stringify(value) !== text) texts.set(value, text)
}

/** Returns the text that a value came as. What is read from a store's file again is compact. */
export const rawText = (value: unknown): string | undefined =>
  (typeof value === "object" && value !== null ? texts.get(value) : undefined) ?? JSON.stringify(value)

/** Whether a field of the message is kept as text. */
export const keepsText = ({ fields }: MessageType): boolean => {
  for (const { type } of fields.values()) if (type.type === "scalar" && type.scalar === "RawExtension") return true
  return false
}
