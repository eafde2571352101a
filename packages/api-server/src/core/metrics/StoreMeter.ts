import type { Distribution, Value } from "@rollcall/time"
import * as Result from "effect/Result"
import type { ServerMetrics } from "./ServerMetrics.ts"
import { storeFamilies } from "./storageFamilies.ts"

export type StoreOperation = "create" | "update" | "delete" | "list"

/** The resource of a request to the store. */
interface GroupResource {
  readonly group: string
  readonly plural: string
}

interface Series {
  readonly durations: Distribution
  readonly requests: Value
}

/** Measures the requests to the store by resource and operation. Upstream: etcd3/metrics, RecordEtcdRequest. */
export class StoreMeter {
  private readonly metrics: ServerMetrics
  private readonly byResource = new WeakMap<GroupResource, Map<StoreOperation, Series>>()

  constructor(metrics: ServerMetrics) {
    this.metrics = metrics
  }

  /** Returns a reply that first measures its request, which begins now. */
  measured<A, E, Rest extends ReadonlyArray<unknown>>(
    operation: StoreOperation,
    resource: GroupResource,
    reply: (result: Result.Result<A, E>, ...rest: Rest) => void
  ): (result: Result.Result<A, E>, ...rest: Rest) => void {
    const { now } = this.metrics
    const began = now()
    return (result, ...rest) => {
      const { durations, requests } = this.seriesOf(operation, resource)
      durations.observe((now() - began) / 1000)
      requests.add()
      if (Result.isFailure(result)) this.errorsOf(operation, resource).add()
      reply(result, ...rest)
    }
  }

  private seriesOf(operation: StoreOperation, resource: GroupResource): Series {
    let byOperation = this.byResource.get(resource)
    if (byOperation === undefined) {
      byOperation = new Map()
      this.byResource.set(resource, byOperation)
    }
    const known = byOperation.get(operation)
    if (known !== undefined) return known
    const { set } = this.metrics
    const labels = { operation, group: resource.group, resource: resource.plural }
    const series = {
      durations: set.distributions(storeFamilies.durations).with(labels),
      requests: set.values(storeFamilies.requests).with(labels)
    }
    byOperation.set(operation, series)
    return series
  }

  private errorsOf(operation: StoreOperation, { group, plural }: GroupResource): Value {
    return this.metrics.set.values(storeFamilies.errors).with({ operation, group, resource: plural })
  }
}
