import { type Endpoints, keyOf } from "@rollcall/api"
import * as Schema from "effect/Schema"

/** The cache still has Endpoints of which the controller has written a later version. */
export class EndpointsStale extends Schema.TaggedError<EndpointsStale>()("EndpointsStale", {
  message: Schema.String
}) {}

/**
 * The versions of Endpoints that were replaced: one that the cache still has is not synced again. Upstream:
 * pkg/controller/endpoint/endpoints_tracker.go.
 */
export class StaleEndpoints {
  private readonly replaced = new Map<string, string>()

  /** Must be called when `before` was updated to `after`; an update may have changed nothing. */
  updated(before: Endpoints, after: Endpoints): void {
    const { resourceVersion = "" } = before.metadata
    if (after.metadata.resourceVersion !== resourceVersion) this.replaced.set(keyOf(before), resourceVersion)
  }

  /** Returns the error of Endpoints that were replaced. */
  errorOf(endpoints: Endpoints): EndpointsStale | undefined {
    const { resourceVersion } = endpoints.metadata
    const key = keyOf(endpoints)
    if (resourceVersion === undefined || this.replaced.get(key) !== resourceVersion) return undefined
    const text = `resource version ${resourceVersion} already processed for endpoints ${key}`
    return new EndpointsStale({ message: `endpoints informer cache is out of date, ${text}` })
  }

  forget(key: string): void {
    this.replaced.delete(key)
  }
}
