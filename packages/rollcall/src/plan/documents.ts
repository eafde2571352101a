import { type Document, parseSource, readDocumentsBelow } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"

/** What a plan reads: the path of a YAML or JSON file or of a folder of them, its text (any string with a line break), or its value. */
export type Given = string | object

/** Kubernetes objects: one or several of these, such as `["nodes.yaml", "pods.yaml"]`, or the items of a list. */
export type GivenObjects = Given | ReadonlyArray<Given>

/** Whether a string is the text of a file, not its path. */
export const isText = (given: string): boolean => given.includes("\n")

/** The file of what was given for the option `name`, or that name. */
export const fileOf = (given: GivenObjects, name: string): string =>
  typeof given === "string" && !isText(given) ? given : name

/** Reads what was given for the option `name`, which messages name for a text or a value. */
const documentsOf = (given: Given, name: string) => {
  if (typeof given !== "string") return Effect.succeed([{ file: name, path: "", value: given } satisfies Document])
  return isText(given) ? parseSource({ file: name, text: given }) : readDocumentsBelow(given)
}

/** Reads objects that were given for an option. */
export const objectDocuments = (given: GivenObjects, name: string) => {
  if (!Array.isArray(given)) return documentsOf(given, name)
  const each: ReadonlyArray<Given> = given
  const read = Effect.forEach(each, (one, index) => documentsOf(one, `${name}[${index}]`))
  return Effect.map(read, (documents) => documents.flat())
}
