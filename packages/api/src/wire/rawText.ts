import { escapeHtml } from "../json.ts"
import type { MessageType } from "./WireType.ts"

/*
 * The texts of values that Go keeps as they came (runtime.RawExtension): where Kubernetes forbids a change of such a
 * value, it compares texts, so that a blank or another order of members is a change.
 */

/** The texts that are not those of `goText`. */
const texts = new WeakMap<object, string>()

/** Returns the text that a Go program sends, with its escapes for HTML. */
const goText = (value: unknown): string | undefined => {
  const text: string | undefined = JSON.stringify(value)
  return text === undefined ? undefined : escapeHtml(text)
}

export const rememberText = (value: unknown, text: string): void => {
  if (typeof value !== "object" || value === null) return
  if (goText(value) === text) texts.delete(value)
  else texts.set(value, text)
}

/** Returns the text that a value came as, if a Go program sends it otherwise. */
export const keptText = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null ? texts.get(value) : undefined

/** Whether a text has blanks, perhaps within its strings alone. */
const hasBlanks = (text: string): boolean => /\s/.test(text)

/** Remembers the text of fields that a manager owns, which Go keeps, too. Those of clients have no blanks. */
export const rememberOwned = (value: unknown, text: string): void => {
  if (hasBlanks(text)) rememberText(value, text)
}

/** Returns the text that a value came as; what controllers make, or is read from a store's file, is as of a Go program. */
export const rawText = (value: unknown): string | undefined => keptText(value) ?? goText(value)

/** Returns a JSON text as Go writes a part of another one: without blanks, and with escapes for HTML. */
export const compactText = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (part) => (part.startsWith('"') ? escapeHtml(part) : ""))

/** Returns the text that Go writes for a value that came as another text than a Go program sends. */
export const writtenText = (value: unknown): string | undefined => {
  const text = keptText(value)
  return text === undefined ? undefined : compactText(text)
}

const namesOf = ({ fields }: MessageType): ReadonlyArray<string> =>
  [...fields.values()].flatMap(({ name, type }) =>
    type.type === "scalar" && type.scalar === "RawExtension" ? [name] : []
  )

const namesByType = new WeakMap<MessageType, ReadonlyArray<string>>()

/** Returns the names of the message's fields that are kept as text. */
export const fieldsOfText = (message: MessageType): ReadonlyArray<string> => {
  let names = namesByType.get(message)
  if (names === undefined) {
    names = namesOf(message)
    namesByType.set(message, names)
  }
  return names
}

/** Whether a field of the message is kept as text. */
export const keepsText = (message: MessageType): boolean => fieldsOfText(message).length > 0
