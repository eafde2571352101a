import { type KindName, type KubeObject, resourceOf } from "@rollcall/api"
import { InvalidInput, invalid, missing, problemsOf, unknownName, wrongValue } from "@rollcall/input"
import type { Document } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { makeDecoder } from "./decodeParts.ts"
import { ofCurrentVersion } from "./formerVersions.ts"
import { isModelledKind, modelledKinds } from "./kinds.ts"

/** A Kubernetes object, with the file that it is from and its path in the file (`items[2]`, or "" for the whole document). */
export interface LoadedObject {
  readonly file: string
  readonly path: string
  readonly kind: KindName
  readonly object: KubeObject
}

/** A Kubernetes object or a list of objects. */
const Shape = Schema.Struct({
  apiVersion: Schema.String,
  kind: Schema.String,
  items: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Unknown)))
})
const isShape = Schema.is(Shape)

const join = (path: string, part: string): string => (path === "" ? part : `${path}.${part}`)

const groupOf = (apiVersion: string): string => (apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "")

/** Returns whether a group is none of Kubernetes' own: the group of a CustomResourceDefinition or an aggregated API has a domain of its own. */
const isForeignGroup = (group: string): boolean => group.includes(".") && !group.endsWith(".k8s.io")

/** The groups of Kubernetes with kinds of the same name as modelled ones. */
const namesakeGroups: ReadonlySet<string> = new Set(["events.k8s.io"])

/** Returns whether an object only has the name of a modelled kind: Node of longhorn.io, Service of serving.knative.dev, Job of volcano.sh. */
export const isNamesake = (apiVersion: string, kind: string): boolean => {
  const group = groupOf(apiVersion)
  if (isModelledKind(kind) && resourceOf(kind).group === group) return false
  return isForeignGroup(group) || namesakeGroups.has(group)
}

const warnOnce = (warnings: Array<string>, warning: string): void => {
  if (!warnings.includes(warning)) warnings.push(warning)
}

/** Decodes the object of a document. Returns undefined, with a warning, if its kind is not modelled. */
const loadObject = Effect.fnUntraced(function* (
  document: Document,
  decode: ReturnType<typeof makeDecoder>,
  warnings: Array<string>
) {
  const { file, path, value } = document
  if (!isShape(value)) {
    return yield* invalid(file, path, wrongValue(value, "a Kubernetes object with apiVersion and kind"))
  }
  if (isNamesake(value.apiVersion, value.kind)) {
    warnOnce(warnings, `${file}: ${value.kind} of ${value.apiVersion} is not modelled, left out`)
    return undefined
  }
  if (!isModelledKind(value.kind)) {
    const wrong = unknownName(`unknown kind "${value.kind}"`, value.kind, modelledKinds)
    if (wrong.nearest !== undefined) return yield* invalid(file, join(path, "kind"), wrong)
    warnOnce(warnings, `${file}: ${value.kind} is not modelled, left out`)
    return undefined
  }
  const { kind } = value
  const object = yield* decode(kind, ofCurrentVersion(kind, value)).pipe(
    Effect.mapError((error) => new InvalidInput({ problems: problemsOf(file, value, path, error.issue) }))
  )
  if ((object.metadata.name ?? "") === "" && (object.metadata.generateName ?? "") === "") {
    return yield* invalid(file, join(path, "metadata.name"), missing())
  }
  const loaded: LoadedObject = { file, path, kind, object }
  return loaded
})

/** Returns the items of a list, including those of nested lists; for any other document, the document itself. */
const itemsOf = (document: Document): ReadonlyArray<Document> => {
  const { file, path, value } = document
  if (!isShape(value) || !value.kind.endsWith("List") || value.items === undefined) return [document]
  return (value.items ?? []).flatMap((item, index) =>
    itemsOf({ file, path: join(path, `items[${index}]`), value: withKindOf(value.kind, value.apiVersion, item) })
  )
}

/**
 * Decodes the Kubernetes objects of documents and of lists in them. It skips objects of kinds that are not modelled and adds a warning, but
 * fails if the kind looks like a misspelt modelled one.
 */
export const loadObjects = Effect.fnUntraced(function* (documents: ReadonlyArray<Document>, warnings: Array<string>) {
  const loaded: Array<LoadedObject> = []
  const decode = makeDecoder()
  for (const document of documents) {
    for (const item of itemsOf(document)) {
      const object = yield* loadObject(item, decode, warnings)
      if (object !== undefined) loaded.push(object)
    }
  }
  return loaded
})

/** Adds apiVersion and kind to an item of a typed list such as NodeList, whose items lack them. */
const withKindOf = (listKind: string, apiVersion: string, item: unknown): unknown => {
  const kind = listKind.slice(0, -"List".length)
  if (kind === "" || typeof item !== "object" || item === null || "kind" in item) return item
  return { apiVersion, kind, ...item }
}
