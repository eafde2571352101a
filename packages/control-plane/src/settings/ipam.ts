import { type InvalidInput, invalid, type Setting, type SettingValues } from "@rollcall/input"
import { defaultIpamFlags, type IpamPlan, ipamPlan, serviceRanges } from "@rollcall/node-controller"
import * as Result from "effect/Result"

/** What of kube-controller-manager's configuration is about addresses for pods. */
export const ipamSettings: ReadonlyArray<Setting> = [
  {
    key: "allocateNodeCIDRs",
    flag: "allocate-node-cidrs",
    path: "kubeCloudShared.allocateNodeCIDRs",
    type: "boolean"
  },
  { key: "clusterCIDR", flag: "cluster-cidr", path: "kubeCloudShared.clusterCIDR", type: "text" },
  { key: "cidrAllocatorType", flag: "cidr-allocator-type", path: "kubeCloudShared.cidrAllocatorType", type: "text" },
  { key: "serviceClusterIPRange", flag: "service-cluster-ip-range", type: "text" },
  { key: "serviceCIDR", path: "nodeIPAMController.serviceCIDR", type: "text" },
  { key: "secondaryServiceCIDR", path: "nodeIPAMController.secondaryServiceCIDR", type: "text" },
  {
    key: "nodeCIDRMaskSize",
    flag: "node-cidr-mask-size",
    path: "nodeIPAMController.nodeCIDRMaskSize",
    type: "integer"
  },
  {
    key: "nodeCIDRMaskSizeIPv4",
    flag: "node-cidr-mask-size-ipv4",
    path: "nodeIPAMController.nodeCIDRMaskSizeIPv4",
    type: "integer"
  },
  {
    key: "nodeCIDRMaskSizeIPv6",
    flag: "node-cidr-mask-size-ipv6",
    path: "nodeIPAMController.nodeCIDRMaskSizeIPv6",
    type: "integer"
  }
]

/** What kube-controller-manager makes of its settings; undefined where it gives nodes no addresses. */
export const ipamPlanOf = (values: SettingValues): Result.Result<IpamPlan | undefined, string> => {
  const own = Object.fromEntries(ipamSettings.flatMap(({ key }) => (key in values ? [[key, values[key]]] : [])))
  const { serviceClusterIPRange, ...flags } = own
  const services = typeof serviceClusterIPRange === "string" ? serviceRanges(serviceClusterIPRange) : Result.succeed({})
  return Result.flatMap(services, (ranges) => ipamPlan({ ...defaultIpamFlags, ...flags, ...ranges }))
}

/** Refuses what kube-controller-manager would not start with, in its words. */
export const checkIpam = (file: string, path: string, values: SettingValues): Result.Result<void, InvalidInput> =>
  Result.mapBoth(ipamPlanOf(values), {
    onSuccess: () => undefined,
    onFailure: (message) => invalid(file, path, `kube-controller-manager would not start: ${message}`)
  })
