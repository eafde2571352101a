import type { KubeObject } from "@rollcall/api"
import { withSortedKeys } from "@rollcall/api/values"
import { compactText, keepsText, type MessageType, mapTexts, rememberText, visitTexts } from "@rollcall/api/wire"

/** Returns the object with the keys of fields that Go keeps as text in the order in which Go writes maps. */
export const withSortedTexts = (type: MessageType, object: KubeObject): KubeObject =>
  keepsText(type) ? (mapTexts(type, object, withSortedKeys) as KubeObject) : object

/** Returns the object, whose fields that Go keeps as text are written anew by an apply. */
export const asGoWrites = (type: MessageType, object: unknown): KubeObject => {
  if (keepsText(type)) {
    visitTexts(type, [object], (name, [holder]) => {
      const value = (holder as Readonly<Record<string, unknown>>)[name]
      if (value !== undefined) rememberText(value, compactText(JSON.stringify(value)))
    })
  }
  return object as KubeObject
}
