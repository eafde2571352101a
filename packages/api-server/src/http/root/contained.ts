import type { Resource } from "@rollcall/api"
import type { HandleError } from "@rollcall/time"

/** Makes what a document says of one resource; undefined when that throws: the document goes on without it. */
export type Contained = <A>(resource: Resource, make: () => A) => A | undefined

/** What throws is handed to `handleError`: one odd kind is no reason to answer nobody. */
export const containedBy =
  (source: string, handleError: HandleError): Contained =>
  (resource, make) => {
    try {
      return make()
    } catch (error) {
      handleError(source, error, { group: resource.group, version: resource.version, resource: resource.plural })
      return undefined
    }
  }
