import { decodeObject, type KindName, type KubeObject } from "@rollcall/api"
import { InvalidInput, invalid, missing, problemsOf, unknownName, wrongValue } from "@rollcall/input"
import type { Document } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isRehearsedKind, loadedKinds } from "./kinds.ts"

/** A Kubernetes object and where it was written. */
export interface LoadedObject {
  readonly file: string
  readonly path: string
  readonly kind: KindName
  readonly object: KubeObject
}

const Shape = Schema.Struct({
  apiVersion: Schema.String,
  kind: Schema.String,
  items: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Unknown)))
})
const isShape = Schema.is(Shape)

const join = (path: string, part: string): string => (path === "" ? part : `${path}.${part}`)

const loadObject = Effect.fnUntraced(function* (document: Document, warnings: Array<string>) {
  const { file, path, value } = document
  if (!isShape(value)) {
    return yield* invalid(file, path, wrongValue(value, "a Kubernetes object with apiVersion and kind"))
  }
  if (!isRehearsedKind(value.kind)) {
    const wrong = unknownName(`unknown kind "${value.kind}"`, value.kind, loadedKinds)
    if (wrong.nearest !== undefined) return yield* invalid(file, join(path, "kind"), wrong)
    warnings.push(`${file}: ${value.kind} is not modelled, left out`)
    return undefined
  }
  const { kind } = value
  const object = yield* decodeObject(kind, value).pipe(
    Effect.mapError((error) => new InvalidInput({ problems: problemsOf(file, value, path, error.issue) }))
  )
  if ((object.metadata.name ?? "") === "" && (object.metadata.generateName ?? "") === "") {
    return yield* invalid(file, join(path, "metadata.name"), missing())
  }
  const loaded: LoadedObject = { file, path, kind, object }
  return loaded
})

/** The items of a list, those of lists in it too; anything else is itself. */
const itemsOf = (document: Document): ReadonlyArray<Document> => {
  const { file, path, value } = document
  if (!isShape(value) || !value.kind.endsWith("List") || value.items === undefined) return [document]
  return (value.items ?? []).flatMap((item, index) =>
    itemsOf({ file, path: join(path, `items[${index}]`), value: withKindOf(value.kind, value.apiVersion, item) })
  )
}

/**
 * The Kubernetes objects of documents, lists taken apart. Kinds that are not modelled are left out with a warning, unless
 * the name looks like a slip of the pen.
 */
export const loadObjects = Effect.fnUntraced(function* (documents: ReadonlyArray<Document>, warnings: Array<string>) {
  const loaded: Array<LoadedObject> = []
  for (const document of documents) {
    for (const item of itemsOf(document)) {
      const object = yield* loadObject(item, warnings)
      if (object !== undefined) loaded.push(object)
    }
  }
  return loaded
})

/** Items of a typed list (NodeList) come without their own apiVersion and kind. */
const withKindOf = (listKind: string, apiVersion: string, item: unknown): unknown => {
  const kind = listKind.slice(0, -"List".length)
  if (kind === "" || typeof item !== "object" || item === null || "kind" in item) return item
  return { apiVersion, kind, ...item }
}
