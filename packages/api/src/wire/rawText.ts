import { escapeHtml } from "../json.ts"
import type { MessageType, WireType } from "./WireType.ts"

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

/** The fields of a message that are kept as text, and those in which there are such fields, at any depth. */
interface TextFields {
  readonly own: ReadonlyArray<string>
  readonly within: ReadonlyMap<string, MessageType>
}

const fieldsByType = new WeakMap<MessageType, TextFields>()

/** Returns the message that a value, or each element of a list, is of. No map has messages with such fields. */
const messageOf = (type: WireType): MessageType | undefined => {
  switch (type.type) {
    case "message":
      return type.message
    case "list":
      return messageOf(type.items)
    default:
      return undefined
  }
}

const noFields: TextFields = { own: [], within: new Map() }

const textFieldsOf = (message: MessageType): TextFields => {
  const known = fieldsByType.get(message)
  if (known !== undefined) return known
  // A message within itself adds nothing.
  fieldsByType.set(message, noFields)
  const own: Array<string> = []
  const within = new Map<string, MessageType>()
  for (const { name, type } of message.fields.values()) {
    if (type.type === "scalar" && type.scalar === "RawExtension") own.push(name)
    const inner = messageOf(type)
    if (inner !== undefined && keepsText(inner)) within.set(name, inner)
  }
  const found = own.length === 0 && within.size === 0 ? noFields : { own, within }
  fieldsByType.set(message, found)
  return found
}

/** Whether a field of the message is kept as text, at any depth. */
export const keepsText = (message: MessageType): boolean => textFieldsOf(message) !== noFields

/** A field that is kept as text, in each of the values that were given together. */
export type TextVisitor = (name: string, holders: ReadonlyArray<unknown>) => void

type Fields = Readonly<Record<string, unknown>>

const memberOf = (value: unknown, key: string | number): unknown =>
  typeof value === "object" && value !== null ? (value as Fields)[key] : undefined

/**
 * Calls `visit` for each field of the first value that is kept as text, at any depth, with the objects that hold it: in
 * the first value, and at the same place of the others, where there may be none.
 */
export const visitTexts = (message: MessageType, values: ReadonlyArray<unknown>, visit: TextVisitor): void => {
  const [first] = values
  if (typeof first !== "object" || first === null) return
  const { own, within } = textFieldsOf(message)
  for (const name of own) if (Object.hasOwn(first, name)) visit(name, values)
  for (const [name, inner] of within) {
    const members = values.map((value) => memberOf(value, name))
    if (Array.isArray(members[0])) {
      for (const at of members[0].keys()) {
        const items = members.map((member) => memberOf(member, at))
        visitTexts(inner, items, visit)
      }
    } else visitTexts(inner, members, visit)
  }
}

/** Returns a value of the message with each field that is kept as text replaced. */
export const mapTexts = (message: MessageType, value: unknown, change: (text: unknown) => unknown): unknown => {
  const { own, within } = textFieldsOf(message)
  if (Array.isArray(value)) return value.map((item) => mapTexts(message, item, change))
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([name, member]) => {
    const inner = within.get(name)
    if (own.includes(name)) return [name, change(member)] as const
    return [name, inner === undefined ? member : mapTexts(inner, member, change)] as const
  })
  return Object.fromEntries(entries)
}
