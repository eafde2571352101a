import { kinds, type Service } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AdmissionPlugin, AdmissionReader } from "../Admission.ts"
import { AllocatedValues } from "./AllocatedValues.ts"
import { AllocatorMeter } from "./AllocatorMeter.ts"
import { allocate } from "./allocate.ts"
import { type AddressRange, parseAddressRange, readyRanges } from "./ranges.ts"

export interface ServiceAllocationOptions {
  /** The IPv4 CIDR of cluster IPs (`--service-cluster-ip-range`). Default: 10.96.0.0/12, also for an invalid text. */
  readonly range?: string
}

const defaultRange: AddressRange = { text: "10.96.0.0/12", first: 0x0a600000, size: 2 ** 20 }

/** Whether validation will refuse the service, whatever its name, which may not be generated yet. */
const isInvalid = (service: Service, old: Service | undefined): boolean => {
  const { create, update } = kinds.Service.validation
  return old === undefined
    ? create({ ...service, metadata: { name: "a", namespace: "a" } }).length > 0
    : update(service, old).length > 0
}

/**
 * Allocates cluster IPs and node ports to services: always the first free one, so the same services get the same
 * addresses. Upstream allocates in the storage of services, before validation; here it is the last mutating plugin.
 */
export const serviceAllocation = ({ range }: ServiceAllocationOptions = {}): AdmissionPlugin => {
  const own = (range === undefined ? undefined : parseAddressRange(range)) ?? defaultRange
  const valuesOf = new WeakMap<AdmissionReader, AllocatedValues>()
  let meter: AllocatorMeter | undefined
  return {
    name: "ServiceAllocation",
    mutatesLast: true,
    admits: (kind, verb, subresource) => kind === "Service" && verb !== "delete" && subresource === undefined,
    addMetrics: (metrics, { reader }) => {
      const ranges = () => readyRanges(own, reader.list("ServiceCIDR"))
      meter = new AllocatorMeter(metrics, ranges, () => reader.list("Service"))
    },
    mutate: ({ dryRun, exchange, name, namespace, object, oldObject }, { now, reader }) => {
      const old = oldObject as Service | undefined
      const service = kinds.Service.defaults(object as Service)
      const time = now()
      const key = name === "" ? undefined : `${namespace}/${name}`
      const values = valuesOf.get(reader) ?? new AllocatedValues(reader)
      valuesOf.set(reader, values)
      const used = values.usedByOthers({ key, old, write: exchange }, time)
      const beganMs = meter?.now ?? 0
      const allocated = allocate(service, old, { ranges: readyRanges(own, reader.list("ServiceCIDR")), used, dryRun })
      if (Result.isFailure(allocated)) {
        if (!dryRun) meter?.refused(service)
        return allocated
      }
      if (!dryRun) meter?.allocated(service, allocated.success, old, beganMs)
      // The values of a service that is refused are free for the next one.
      if (!dryRun && !isInvalid(allocated.success, old)) values.reserve(key, allocated.success, time, exchange)
      return allocated
    }
  }
}
