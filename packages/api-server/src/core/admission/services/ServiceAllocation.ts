import { defaultService, invalid, resourceOf, type Service } from "@rollcall/api"
import { validateService } from "@rollcall/api/validation"
import * as Result from "effect/Result"
import type { AdmissionPlugin } from "../Admission.ts"
import { AllocatedValues } from "./AllocatedValues.ts"
import { allocate, withStoredAllocations } from "./allocate.ts"
import { type AddressRange, parseAddressRange } from "./ranges.ts"

export interface ServiceAllocationOptions {
  /** The IPv4 CIDR of cluster IPs (`--service-cluster-ip-range`). Default: 10.96.0.0/12, also for an invalid text. */
  readonly range?: string
}

const defaultRange: AddressRange = { text: "10.96.0.0/12", first: 0x0a600000, size: 2 ** 20 }

/**
 * Whether a service is invalid apart from what is allocated, so that validation will reject it: it gets no address. The
 * name is checked later and may not be generated yet, so a valid one takes its place.
 */
const isInvalid = (service: Service): boolean =>
  validateService({ ...service, metadata: { name: "a", namespace: "a" } }).length > 0

/**
 * Allocates cluster IPs and node ports to services: always the first free one, so the same services get the same
 * addresses. Upstream allocates in the storage of services, after validation; here it is the last mutating plugin.
 */
export const serviceAllocation = ({ range }: ServiceAllocationOptions = {}): AdmissionPlugin => {
  const addresses = (range === undefined ? undefined : parseAddressRange(range)) ?? defaultRange
  const values = new AllocatedValues()
  return {
    name: "ServiceAllocation",
    admits: (kind, verb, subresource) => kind === "Service" && verb !== "delete" && subresource === undefined,
    mutate: ({ dryRun, name, namespace, object, oldObject }, { now, reader }) => {
      const old = oldObject as Service | undefined
      const given = defaultService(object as Service)
      const service = old === undefined ? given : withStoredAllocations(given, old)
      if (isInvalid(service)) return Result.succeed(service)
      const time = now()
      const key = name === "" ? undefined : `${namespace}/${name}`
      const allocated = allocate(service, {
        range: addresses,
        used: values.usedByOthers(key, reader.list("Service"), time)
      })
      if (Result.isFailure(allocated)) {
        return Result.fail(invalid(resourceOf("Service"), name, allocated.failure))
      }
      if (!dryRun) values.reserve(key, allocated.success, time)
      return Result.succeed(allocated.success)
    }
  }
}
