import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/resource/v1/{types.go,generated.proto}. */
export const devices: Table = {
  package: "io.k8s.api.resource.v1",
  group: "resource.k8s.io",
  messages: `
DeviceClass kind hasList # A class of devices that claims request by its name.
  metadata 1 meta.ObjectMeta byValue
  spec 2 DeviceClassSpec required byValue
DeviceClassSpec
  selectors 1 []DeviceSelector listType=atomic
  config 2 []DeviceClassConfiguration listType=atomic
  extendedResourceName 4 string pointer
DeviceSelector
  cel 1 CELDeviceSelector
CELDeviceSelector # An expression that decides whether a device suits.
  expression 1 string required
DeviceClassConfiguration embeds=DeviceConfiguration
  opaque 1.1 OpaqueDeviceConfiguration
OpaqueDeviceConfiguration
  driver 1 string required
  parameters 2 RawExtension required
ResourceClaim kind hasList # A request for devices, and the devices allocated for it.
  metadata 1 meta.ObjectMeta byValue
  spec 2 ResourceClaimSpec required byValue
  status 3 ResourceClaimStatus byValue
ResourceClaimSpec
  devices 1 DeviceClaim byValue
DeviceClaim
  requests 1 []DeviceRequest noOmitEmpty listType=atomic
  constraints 2 []DeviceConstraint listType=atomic
  config 3 []DeviceClaimConfiguration listType=atomic
DeviceRequest
  name 1 string required
  exactly 2 ExactDeviceRequest
  firstAvailable 3 []DeviceSubRequest listType=atomic
ExactDeviceRequest
  deviceClassName 1 string required
  selectors 2 []DeviceSelector listType=atomic
  allocationMode 3 string enum=All|ExactCount
  count 4 int64
  adminAccess 5 bool pointer
  tolerations 6 []DeviceToleration listType=atomic
  capacity 7 CapacityRequirements
DeviceToleration
  key 1 string
  operator 2 string default=Equal enum=Equal|Exists
  value 3 string
  effect 4 string enum=NoExecute|NoSchedule|None
  tolerationSeconds 5 int64 pointer
CapacityRequirements
  requests 1 map[string]Quantity
DeviceSubRequest
  name 1 string required
  deviceClassName 2 string required
  selectors 3 []DeviceSelector listType=atomic
  allocationMode 4 string enum=All|ExactCount
  count 5 int64
  tolerations 6 []DeviceToleration listType=atomic
  capacity 7 CapacityRequirements
DeviceConstraint
  requests 1 []string listType=atomic
  matchAttribute 2 string pointer
  distinctAttribute 3 string pointer
DeviceClaimConfiguration embeds=DeviceConfiguration
  requests 1 []string listType=atomic
  opaque 2.1 OpaqueDeviceConfiguration
ResourceClaimStatus
  allocation 1 AllocationResult
  reservedFor 2 []ResourceClaimConsumerReference listType=map listMapKeys=uid patchStrategy=merge patchMergeKey=uid
  devices 4 []AllocatedDeviceStatus listType=map listMapKeys=driver,device,pool,shareID
AllocationResult
  devices 1 DeviceAllocationResult byValue
  nodeSelector 3 core.NodeSelector
  allocationTimestamp 5 Time pointer
DeviceAllocationResult
  results 1 []DeviceRequestAllocationResult listType=atomic
  config 2 []DeviceAllocationConfiguration listType=atomic
DeviceRequestAllocationResult
  request 1 string required
  driver 2 string required
  pool 3 string required
  device 4 string required
  adminAccess 5 bool pointer
  tolerations 6 []DeviceToleration listType=atomic
  bindingConditions 7 []string listType=atomic
  bindingFailureConditions 8 []string listType=atomic
  shareID 9 string pointer
  consumedCapacity 10 map[string]Quantity
DeviceAllocationConfiguration embeds=DeviceConfiguration
  source 1 string required enum=FromClaim|FromClass
  requests 2 []string listType=atomic
  opaque 3.1 OpaqueDeviceConfiguration
ResourceClaimConsumerReference
  apiGroup 1 string
  resource 3 string required
  name 4 string required
  uid 5 string required
AllocatedDeviceStatus
  driver 1 string required
  pool 2 string required
  device 3 string required
  shareID 7 string pointer
  conditions 4 []meta.Condition noOmitEmpty listType=map listMapKeys=type
  data 5 RawExtension pointer
  networkData 6 NetworkDeviceData
NetworkDeviceData
  interfaceName 1 string
  ips 2 []string listType=atomic
  hardwareAddress 3 string
ResourceClaimTemplate kind hasList # What the claims of pods are made from, one claim for each pod.
  metadata 1 meta.ObjectMeta byValue
  spec 2 ResourceClaimTemplateSpec required byValue
ResourceClaimTemplateSpec
  metadata 1 meta.ObjectMeta byValue
  spec 2 ResourceClaimSpec required byValue
ResourceSlice kind hasList # Devices of one driver in a pool, on one node or on several.
  metadata 1 meta.ObjectMeta byValue
  spec 2 ResourceSliceSpec required byValue
ResourceSliceSpec
  driver 1 string required
  pool 2 ResourcePool required byValue
  nodeName 3 string pointer
  nodeSelector 4 core.NodeSelector
  allNodes 5 bool pointer
  devices 6 []Device listType=atomic
  perDeviceNodeSelection 7 bool pointer
  sharedCounters 8 []CounterSet listType=atomic
ResourcePool
  name 1 string required
  generation 2 int64 required
  resourceSliceCount 3 int64 required
Device
  name 1 string required
  attributes 2 map[string]DeviceAttribute
  capacity 3 map[string]DeviceCapacity
  consumesCounters 4 []DeviceCounterConsumption listType=atomic
  nodeName 5 string pointer
  nodeSelector 6 core.NodeSelector
  allNodes 7 bool pointer
  taints 8 []DeviceTaint listType=atomic
  bindsToNode 9 bool pointer
  bindingConditions 10 []string listType=atomic
  bindingFailureConditions 11 []string listType=atomic
  allowMultipleAllocations 12 bool pointer
  nodeAllocatableResourceMappings 13 map[string]NodeAllocatableResourceMapping
DeviceAttribute
  int 2 int64 pointer
  bool 3 bool pointer
  string 4 string pointer
  version 5 string pointer
  ints 6 []int64 listType=atomic
  bools 7 []bool listType=atomic
  strings 8 []string listType=atomic
  versions 9 []string listType=atomic
DeviceCapacity
  value 1 Quantity required
  requestPolicy 2 CapacityRequestPolicy
CapacityRequestPolicy
  default 1 Quantity pointer
  validValues 3 []Quantity listType=atomic
  validRange 4 CapacityRequestPolicyRange
CapacityRequestPolicyRange
  min 1 Quantity required pointer omitEmpty
  max 2 Quantity pointer
  step 3 Quantity pointer
DeviceCounterConsumption
  counterSet 1 string required
  counters 2 map[string]Counter required omitEmpty
Counter
  value 1 Quantity required
DeviceTaint
  key 1 string required
  value 2 string
  effect 3 string required enum=NoExecute|NoSchedule|None
  timeAdded 4 Time pointer
NodeAllocatableResourceMapping
  capacityKey 1 string pointer
  allocationMultiplier 2 Quantity pointer
CounterSet
  name 1 string required
  counters 2 map[string]Counter required omitEmpty
`
}
