import { isObject, type JsonObject } from "../Case.ts"
import { patch } from "./patches.ts"
import type { Random } from "./Random.ts"
import type { Resource } from "./Resource.ts"
import { read } from "./reads.ts"
import { collectionDeletion, ending } from "./removals.ts"
import { oddRequest } from "./requests.ts"
import { subresource } from "./subresources.ts"
import { replacement, type Step } from "./writes.ts"

/** Returns the path of an object that the session makes by PUT or apply. */
export const pathOfOther = (path: string): string => `${path}-2`

const otherObject = (object: JsonObject): JsonObject => {
  const metadata = isObject(object.metadata) ? object.metadata : {}
  const { uid: _, ...rest } = metadata
  return { ...object, metadata: { ...rest, name: `${metadata.name}-2` } }
}

/** Returns a further request about the object, as both servers returned it; perhaps at another version of its kind. */
export const further = (random: Random, resource: Resource, path: string, object: JsonObject): Step => {
  const { apiVersion, otherVersion } = resource
  if (otherVersion === undefined || random.chance(0.7)) return furtherAt(random, resource, path, object)
  const at = { ...resource, apiVersion: otherVersion }
  const step = furtherAt(random, at, path.replace(apiVersion, otherVersion), { ...object, apiVersion: otherVersion })
  return { ...step, label: `${step.label} at another version` }
}

const furtherAt = (random: Random, resource: Resource, path: string, object: JsonObject): Step => {
  const choice = random.next()
  if (choice < 0.2) return replacement(random, resource, path, object)
  if (choice < 0.5) return patch(random, resource, path, object)
  if (choice < 0.66) return subresource(random, resource, path, object)
  if (choice < 0.69) return collectionDeletion(random, resource, path.split("/").at(-1) ?? "")
  if (choice < 0.76) return oddRequest(random, resource, path)
  if (choice < 0.8) {
    const write = random.chance(0.5) ? replacement : patch
    const step = write(random, resource, pathOfOther(path), otherObject(object))
    return { ...step, label: `${step.label} other` }
  }
  if (choice < 0.87) return ending(random, path, object)
  return read(random, resource, path)
}
