import * as Schema from "effect/Schema"
import { list, oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { NodeSelector } from "./Affinity.ts"
import { Condition, ObjectMeta } from "./Meta.ts"
import { Quantity, Time } from "./Scalars.ts"

/** Selects devices by an expression over `device`. */
export const DeviceSelector = Schema.Struct({ cel: opt(Schema.Struct({ expression: Schema.String })) })
export interface DeviceSelector extends Schema.Schema.Type<typeof DeviceSelector> {}

export const OpaqueDeviceConfiguration = Schema.Struct({ driver: Schema.String, parameters: opt(Schema.Unknown) })
export interface OpaqueDeviceConfiguration extends Schema.Schema.Type<typeof OpaqueDeviceConfiguration> {}

export const DeviceClassSpec = Schema.Struct({
  selectors: opt(list(DeviceSelector)),
  config: opt(list(Schema.Struct({ opaque: opt(OpaqueDeviceConfiguration) }))),
  extendedResourceName: opt(Schema.String)
})
export interface DeviceClassSpec extends Schema.Schema.Type<typeof DeviceClassSpec> {}

/** A class of devices. Cluster-scoped. */
export const DeviceClass = Schema.Struct({ ...typed("resource.k8s.io/v1", "DeviceClass"), spec: DeviceClassSpec })
export interface DeviceClass extends Schema.Schema.Type<typeof DeviceClass> {}

export const DeviceToleration = Schema.Struct({
  key: opt(Schema.String),
  operator: opt(oneOf("Exists", "Equal")),
  value: opt(Schema.String),
  effect: opt(oneOf("NoSchedule", "NoExecute", "None")),
  tolerationSeconds: opt(Schema.Int)
})
export interface DeviceToleration extends Schema.Schema.Type<typeof DeviceToleration> {}

const requested = {
  deviceClassName: Schema.String,
  selectors: opt(list(DeviceSelector)),
  allocationMode: opt(oneOf("ExactCount", "All")),
  count: opt(Schema.Int),
  tolerations: opt(list(DeviceToleration)),
  capacity: opt(Schema.Struct({ requests: opt(Schema.Record(Schema.String, Quantity)) }))
}

/** Devices of one class, as many as `count` or all. */
export const ExactDeviceRequest = Schema.Struct({ ...requested, adminAccess: opt(Schema.Boolean) })
export interface ExactDeviceRequest extends Schema.Schema.Type<typeof ExactDeviceRequest> {}

/** One of several alternatives. */
export const DeviceSubRequest = Schema.Struct({ name: Schema.String, ...requested })
export interface DeviceSubRequest extends Schema.Schema.Type<typeof DeviceSubRequest> {}

export const DeviceRequest = Schema.Struct({
  name: Schema.String,
  exactly: opt(ExactDeviceRequest),
  firstAvailable: opt(list(DeviceSubRequest))
})
export interface DeviceRequest extends Schema.Schema.Type<typeof DeviceRequest> {}

export const DeviceConstraint = Schema.Struct({
  requests: opt(list(Schema.String)),
  matchAttribute: opt(Schema.String),
  distinctAttribute: opt(Schema.String)
})
export interface DeviceConstraint extends Schema.Schema.Type<typeof DeviceConstraint> {}

/** What a claim asks for. */
export const DeviceClaim = Schema.Struct({
  requests: opt(Schema.NullOr(list(DeviceRequest))),
  constraints: opt(list(DeviceConstraint)),
  config: opt(list(Schema.Struct({ requests: opt(list(Schema.String)), opaque: opt(OpaqueDeviceConfiguration) })))
})
export interface DeviceClaim extends Schema.Schema.Type<typeof DeviceClaim> {}

export const ResourceClaimSpec = Schema.Struct({ devices: opt(DeviceClaim) })
export interface ResourceClaimSpec extends Schema.Schema.Type<typeof ResourceClaimSpec> {}

export const DeviceRequestAllocationResult = Schema.Struct({
  request: Schema.String,
  driver: Schema.String,
  pool: Schema.String,
  device: Schema.String,
  adminAccess: opt(Schema.Boolean),
  tolerations: opt(list(DeviceToleration)),
  bindingConditions: opt(list(Schema.String)),
  bindingFailureConditions: opt(list(Schema.String)),
  shareID: opt(Schema.String),
  consumedCapacity: opt(Schema.Record(Schema.String, Quantity))
})
export interface DeviceRequestAllocationResult extends Schema.Schema.Type<typeof DeviceRequestAllocationResult> {}

/** The devices that were allocated for a claim, and the nodes that have them. */
export const AllocationResult = Schema.Struct({
  devices: opt(
    Schema.Struct({
      results: opt(list(DeviceRequestAllocationResult)),
      config: opt(
        list(
          Schema.Struct({
            source: Schema.String,
            requests: opt(list(Schema.String)),
            opaque: opt(OpaqueDeviceConfiguration)
          })
        )
      )
    })
  ),
  nodeSelector: opt(NodeSelector),
  allocationTimestamp: opt(Time)
})
export interface AllocationResult extends Schema.Schema.Type<typeof AllocationResult> {}

export const ResourceClaimConsumerReference = Schema.Struct({
  apiGroup: opt(Schema.String),
  resource: Schema.String,
  name: Schema.String,
  uid: Schema.String
})
export interface ResourceClaimConsumerReference extends Schema.Schema.Type<typeof ResourceClaimConsumerReference> {}

/** What a driver reports of an allocated device. */
export const AllocatedDeviceStatus = Schema.Struct({
  driver: Schema.String,
  pool: Schema.String,
  device: Schema.String,
  shareID: opt(Schema.String),
  conditions: opt(Schema.NullOr(list(Condition))),
  data: opt(Schema.Unknown),
  networkData: opt(
    Schema.Struct({
      interfaceName: opt(Schema.String),
      ips: opt(list(Schema.String)),
      hardwareAddress: opt(Schema.String)
    })
  )
})
export interface AllocatedDeviceStatus extends Schema.Schema.Type<typeof AllocatedDeviceStatus> {}

export const ResourceClaimStatus = Schema.Struct({
  allocation: opt(AllocationResult),
  reservedFor: opt(list(ResourceClaimConsumerReference)),
  devices: opt(list(AllocatedDeviceStatus))
})
export interface ResourceClaimStatus extends Schema.Schema.Type<typeof ResourceClaimStatus> {}

/** A request for devices. */
export const ResourceClaim = Schema.Struct({
  ...typed("resource.k8s.io/v1", "ResourceClaim"),
  spec: ResourceClaimSpec,
  status: opt(ResourceClaimStatus)
})
export interface ResourceClaim extends Schema.Schema.Type<typeof ResourceClaim> {}

export const ResourceClaimTemplateSpec = Schema.Struct({ metadata: opt(ObjectMeta), spec: ResourceClaimSpec })
export interface ResourceClaimTemplateSpec extends Schema.Schema.Type<typeof ResourceClaimTemplateSpec> {}

/** The claims of pods, one for each pod. */
export const ResourceClaimTemplate = Schema.Struct({
  ...typed("resource.k8s.io/v1", "ResourceClaimTemplate"),
  spec: ResourceClaimTemplateSpec
})
export interface ResourceClaimTemplate extends Schema.Schema.Type<typeof ResourceClaimTemplate> {}
