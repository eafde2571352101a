import { invalid, unknownName } from "@rollcall/input"
import { type Document, readDocuments, readDocumentsBelow } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { coverageOf } from "../snapshot/coverage.ts"
import type { PlannedEvent } from "./events.ts"
import { isModelledKind, modelledKinds } from "./kinds.ts"
import { type LoadedObject, loadObjects } from "./objects.ts"

/** Reads the objects of the manifests that a scenario names. `where` is the field with the names, for messages. */
export const readManifests = Effect.fnUntraced(function* (
  file: string,
  names: ReadonlyArray<string>,
  where: string,
  warnings: Array<string>
) {
  const path = yield* Path.Path
  const loaded: Array<LoadedObject> = []
  for (const [index, name] of names.entries()) {
    const documents = yield* readDocuments(path.resolve(path.dirname(file), name), {
      namedIn: `${file} at ${where}[${index}]`
    })
    for (const object of yield* loadObjects(documents, warnings)) loaded.push(object)
  }
  return loaded
})

/** Reads the objects of a snapshot, in all states that its files have, and which kinds it covers. */
export const readSnapshot = Effect.fnUntraced(function* (
  file: string,
  names: ReadonlyArray<string>,
  warnings: Array<string>
) {
  const path = yield* Path.Path
  const documents: Array<Document> = []
  for (const [index, name] of names.entries()) {
    const where = `${file} at spec.cluster.snapshot[${index}]`
    const found = yield* readDocumentsBelow(path.resolve(path.dirname(file), name), { namedIn: where })
    for (const document of found) documents.push(document)
  }
  return { loaded: yield* loadObjects(documents, warnings), coverage: coverageOf(documents) }
})

/** Returns the objects in a field of a scenario as documents of its file. */
export const inlineDocuments = (
  file: string,
  where: string,
  objects: ReadonlyArray<unknown>
): ReadonlyArray<Document> => objects.map((value, index) => ({ file, path: `${where}[${index}]`, value }))

/** Loads the objects that events apply or delete, by the event's index in the file. */
export const loadEventObjects = Effect.fnUntraced(function* (
  file: string,
  events: ReadonlyArray<PlannedEvent>,
  warnings: Array<string>
) {
  const byIndex = new Map<number, ReadonlyArray<LoadedObject>>()
  for (const { index, spec } of events) {
    const where = `spec.events[${index}]`
    const reference = spec.object
    if (reference !== undefined && !isModelledKind(reference.kind)) {
      return yield* invalid(
        file,
        `${where}.object.kind`,
        unknownName(`unknown kind "${reference.kind}"`, reference.kind, modelledKinds)
      )
    }
    const loaded = [
      ...(yield* loadObjects(inlineDocuments(file, `${where}.objects`, spec.objects ?? []), warnings)),
      ...(yield* readManifests(file, spec.manifests ?? [], `${where}.manifests`, warnings))
    ]
    if (loaded.length > 0) byIndex.set(index, loaded)
  }
  return byIndex
})
