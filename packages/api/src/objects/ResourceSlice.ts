import * as Schema from "effect/Schema"
import { list, oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { NodeSelector } from "./Affinity.ts"
import { Quantity, Time } from "./Scalars.ts"

/** A property of a device: one value, or a list of values of one type. */
export const DeviceAttribute = Schema.Struct({
  int: opt(Schema.Int),
  bool: opt(Schema.Boolean),
  string: opt(Schema.String),
  version: opt(Schema.String),
  ints: opt(list(Schema.Int)),
  bools: opt(list(Schema.Boolean)),
  strings: opt(list(Schema.String)),
  versions: opt(list(Schema.String))
})
export interface DeviceAttribute extends Schema.Schema.Type<typeof DeviceAttribute> {}

export const CapacityRequestPolicyRange = Schema.Struct({ min: opt(Quantity), max: opt(Quantity), step: opt(Quantity) })
export interface CapacityRequestPolicyRange extends Schema.Schema.Type<typeof CapacityRequestPolicyRange> {}

/** Which parts of a capacity can be requested of a device that several claims share. */
export const CapacityRequestPolicy = Schema.Struct({
  default: opt(Quantity),
  validValues: opt(list(Quantity)),
  validRange: opt(CapacityRequestPolicyRange)
})
export interface CapacityRequestPolicy extends Schema.Schema.Type<typeof CapacityRequestPolicy> {}

export const DeviceCapacity = Schema.Struct({ value: Quantity, requestPolicy: opt(CapacityRequestPolicy) })
export interface DeviceCapacity extends Schema.Schema.Type<typeof DeviceCapacity> {}

const Counters = Schema.Record(Schema.String, Schema.Struct({ value: Quantity }))

/** Counters that several devices of a pool consume. */
export const CounterSet = Schema.Struct({ name: Schema.String, counters: opt(Counters) })
export interface CounterSet extends Schema.Schema.Type<typeof CounterSet> {}

export const DeviceTaint = Schema.Struct({
  key: Schema.String,
  value: opt(Schema.String),
  effect: opt(oneOf("NoSchedule", "NoExecute", "None")),
  timeAdded: opt(Time)
})
export interface DeviceTaint extends Schema.Schema.Type<typeof DeviceTaint> {}

export const Device = Schema.Struct({
  name: Schema.String,
  attributes: opt(Schema.Record(Schema.String, DeviceAttribute)),
  capacity: opt(Schema.Record(Schema.String, DeviceCapacity)),
  consumesCounters: opt(list(Schema.Struct({ counterSet: Schema.String, counters: opt(Counters) }))),
  nodeName: opt(Schema.String),
  nodeSelector: opt(NodeSelector),
  allNodes: opt(Schema.Boolean),
  taints: opt(list(DeviceTaint)),
  bindsToNode: opt(Schema.Boolean),
  bindingConditions: opt(list(Schema.String)),
  bindingFailureConditions: opt(list(Schema.String)),
  allowMultipleAllocations: opt(Schema.Boolean),
  nodeAllocatableResourceMappings: opt(Schema.Record(Schema.String, Schema.Unknown))
})
export interface Device extends Schema.Schema.Type<typeof Device> {}

export const ResourceSliceSpec = Schema.Struct({
  driver: Schema.String,
  pool: Schema.Struct({ name: Schema.String, generation: opt(Schema.Int), resourceSliceCount: opt(Schema.Int) }),
  nodeName: opt(Schema.String),
  nodeSelector: opt(NodeSelector),
  allNodes: opt(Schema.Boolean),
  devices: opt(list(Device)),
  perDeviceNodeSelection: opt(Schema.Boolean),
  sharedCounters: opt(list(CounterSet))
})
export interface ResourceSliceSpec extends Schema.Schema.Type<typeof ResourceSliceSpec> {}

/** Devices of a driver. Cluster-scoped. */
export const ResourceSlice = Schema.Struct({ ...typed("resource.k8s.io/v1", "ResourceSlice"), spec: ResourceSliceSpec })
export interface ResourceSlice extends Schema.Schema.Type<typeof ResourceSlice> {}
