import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceClaimConsumerReference
} from "../../objects/ResourceClaim.ts"
import { checkConditions } from "../conditions.ts"
import type { ErrorList } from "../ErrorList.ts"
import { equalAs } from "../equalAs.ts"
import { goStruct } from "../goStruct.ts"
import { validateInterfaceAddress } from "../ip.ts"
import { byteLength } from "../names.ts"
import { validateNodeSelector } from "../nodeAffinity.ts"
import { semanticEqual } from "../semanticEqual.ts"
import { checkBindingConditions } from "./bindingConditions.ts"
import { checkList, checkSet } from "./lists.ts"
import { checkDriver, checkLabel, checkPool, checkUid } from "./names.ts"
import {
  checkConfiguration,
  checkRaw,
  checkRequestReference,
  checkRequestReferences,
  maxConfigurations,
  type RequestNames,
  requestNamesOf
} from "./requests.ts"

const maxConsumers = 256
const maxResults = 32
const maxConditions = 8
const maxDataBytes = 10 * 1024
const maxAddresses = 16
const maxInterfaceBytes = 256
const maxHardwareBytes = 128

type DeviceReference = Pick<DeviceRequestAllocationResult, "device" | "driver" | "pool" | "shareID">

const keyOf = ({ device, driver, pool, shareID = "" }: DeviceReference): string =>
  [driver, pool, device, shareID].join("\n")

/** A device as errors print it. */
const shown = ({ device, driver, pool, shareID = "" }: DeviceReference): unknown => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID
})

const checkConsumer = (errors: ErrorList, consumer: ResourceClaimConsumerReference, at: string): void => {
  for (const field of ["resource", "name", "uid"] as const) {
    if (!consumer[field]) errors.required(`${at}.${field}`)
  }
}

const checkNetworkData = (
  errors: ErrorList,
  { hardwareAddress = "", interfaceName = "", ips }: NonNullable<AllocatedDeviceStatus["networkData"]>,
  at: string
): void => {
  if (byteLength(interfaceName) > maxInterfaceBytes) errors.tooLong(`${at}.interfaceName`, maxInterfaceBytes)
  if (byteLength(hardwareAddress) > maxHardwareBytes) errors.tooLong(`${at}.hardwareAddress`, maxHardwareBytes)
  checkSet(errors, ips, `${at}.ips`, { max: maxAddresses, keyOf: (ip) => ip }, validateInterfaceAddress)
}

const checkDevice = (
  errors: ErrorList,
  device: AllocatedDeviceStatus,
  at: string,
  allocated: ReadonlySet<string>
): void => {
  const { conditions, data, networkData, shareID } = device
  checkDriver(errors, device.driver, `${at}.driver`)
  checkPool(errors, device.pool, `${at}.pool`)
  checkLabel(errors, device.device, `${at}.device`)
  if (shareID !== undefined) checkUid(errors, shareID, `${at}.shareID`)
  if (!allocated.has(keyOf(device))) errors.invalid(at, shown(device), "must be an allocated device in the claim")
  if ((conditions?.length ?? 0) > maxConditions) {
    errors.tooMany(`${at}.conditions`, conditions?.length ?? 0, maxConditions)
  }
  checkConditions(errors, conditions ?? [], `${at}.conditions`)
  if (data !== undefined) checkRaw(errors, data, `${at}.data`, maxDataBytes)
  if (networkData !== undefined) checkNetworkData(errors, networkData, `${at}.networkData`)
}

const checkResult = (
  errors: ErrorList,
  result: DeviceRequestAllocationResult,
  at: string,
  names: RequestNames
): void => {
  checkRequestReference(errors, result.request, `${at}.request`, names)
  checkDriver(errors, result.driver, `${at}.driver`)
  checkPool(errors, result.pool, `${at}.pool`)
  checkLabel(errors, result.device, `${at}.device`)
  checkBindingConditions(errors, result, at)
  if (result.shareID !== undefined) checkUid(errors, result.shareID, `${at}.shareID`)
}

const sources = ["FromClaim", "FromClass"]

const checkAllocation = (errors: ErrorList, allocation: AllocationResult, names: RequestNames): void => {
  const at = "status.allocation"
  const { devices: { config, results } = {}, nodeSelector } = allocation
  checkList(errors, results, `${at}.devices.results`, maxResults, (all, result, path) =>
    checkResult(all, result, path, names)
  )
  checkList(errors, config, `${at}.devices.config`, 2 * maxConfigurations, (all, configuration, path) => {
    const { requests, source } = configuration
    if (source === "") all.required(`${path}.source`)
    else if (!sources.includes(source)) all.notSupported(`${path}.source`, source, sources)
    checkRequestReferences(all, requests, `${path}.requests`, names)
    checkConfiguration(all, configuration, path, false)
  })
  if (nodeSelector !== undefined) validateNodeSelector(errors, nodeSelector, `${at}.nodeSelector`)
}

const checkReservation = (errors: ErrorList, claim: ResourceClaim, old: ResourceClaim): void => {
  const { allocation, reservedFor = [] } = claim.status ?? {}
  if (reservedFor.length === 0) return
  if (allocation === undefined) {
    errors.forbidden("status.reservedFor", "may not be specified when `allocated` is not set")
    return
  }
  if (claim.metadata.deletionTimestamp === undefined) return
  const before = old.status?.reservedFor ?? []
  if (reservedFor.every((consumer) => before.some((each) => semanticEqual(each, consumer)))) return
  errors.forbidden(
    "status.reservedFor",
    "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"
  )
}

/** Upstream: validateResourceClaimStatusUpdate. */
export const checkClaimStatus = (errors: ErrorList, claim: ResourceClaim, old: ResourceClaim): void => {
  const { allocation, devices, reservedFor } = claim.status ?? {}
  const consumers = { max: maxConsumers, keyOf: ({ uid }: ResourceClaimConsumerReference) => uid }
  checkSet(errors, reservedFor, "status.reservedFor", consumers, checkConsumer)
  const allocated = new Set((allocation?.devices?.results ?? []).map(keyOf))
  checkSet(errors, devices, "status.devices", { max: Infinity, keyOf, shown }, (all, device, at) =>
    checkDevice(all, device, at, allocated)
  )
  checkReservation(errors, claim, old)
  if (allocation === undefined) return
  if (old.status?.allocation === undefined) {
    checkAllocation(errors, allocation, requestNamesOf(claim.spec.devices ?? {}))
  } else if (!equalAs("resource.v1.AllocationResult", allocation, old.status.allocation)) {
    errors.invalid(
      "status.allocation",
      goStruct(allocation, "io.k8s.api.resource.v1.AllocationResult"),
      "field is immutable"
    )
  }
}
