import type { JsonObject } from "../Case.ts"
import type { Random } from "./Random.ts"
import type { Resource } from "./Resource.ts"
import { read } from "./reads.ts"
import { collectionDeletion } from "./removals.ts"
import { subresource } from "./subresources.ts"
import { patch, replacement, type Step } from "./writes.ts"

/** Returns a further request about the object, as both servers returned it. */
export const further = (random: Random, resource: Resource, path: string, object: JsonObject): Step => {
  const choice = random.next()
  if (choice < 0.25) return replacement(random, resource, path, object)
  if (choice < 0.55) return patch(random, resource, path, object)
  if (choice < 0.75) return subresource(random, resource, path, object)
  if (choice < 0.78) return collectionDeletion(random, resource, path.split("/").at(-1) ?? "")
  return read(random, resource, path)
}
