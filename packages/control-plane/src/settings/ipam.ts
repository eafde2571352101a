import {
  booleanValue,
  type Given,
  type InvalidInput,
  integerValue,
  invalid,
  pickSettings,
  setting,
  textValue
} from "@rollcall/input"
import { defaultIpamFlags, type IpamFlags, type IpamPlan, ipamPlan, serviceRanges } from "@rollcall/node-controller"
import * as Result from "effect/Result"

const defaultOf =
  <Key extends keyof IpamFlags>(key: Key) =>
  (): IpamFlags[Key] =>
    defaultIpamFlags[key]

/** The IPAM settings of kube-controller-manager. */
export const ipamSettings = {
  allocateNodeCIDRs: setting(
    booleanValue,
    { flag: "allocate-node-cidrs", path: "kubeCloudShared.allocateNodeCIDRs" },
    defaultOf("allocateNodeCIDRs")
  ),
  clusterCIDR: setting(
    textValue,
    { flag: "cluster-cidr", path: "kubeCloudShared.clusterCIDR" },
    defaultOf("clusterCIDR")
  ),
  cidrAllocatorType: setting(
    textValue,
    { flag: "cidr-allocator-type", path: "kubeCloudShared.cidrAllocatorType" },
    defaultOf("cidrAllocatorType")
  ),
  /** Both Service CIDRs, separated by a comma; the file has a field for each. */
  serviceClusterIPRange: setting(textValue, { flag: "service-cluster-ip-range" }),
  serviceCIDR: setting(textValue, { path: "nodeIPAMController.serviceCIDR" }, defaultOf("serviceCIDR")),
  secondaryServiceCIDR: setting(
    textValue,
    { path: "nodeIPAMController.secondaryServiceCIDR" },
    defaultOf("secondaryServiceCIDR")
  ),
  nodeCIDRMaskSize: setting(
    integerValue(),
    { flag: "node-cidr-mask-size", path: "nodeIPAMController.nodeCIDRMaskSize" },
    defaultOf("nodeCIDRMaskSize")
  ),
  nodeCIDRMaskSizeIPv4: setting(
    integerValue(),
    { flag: "node-cidr-mask-size-ipv4", path: "nodeIPAMController.nodeCIDRMaskSizeIPv4" },
    defaultOf("nodeCIDRMaskSizeIPv4")
  ),
  nodeCIDRMaskSizeIPv6: setting(
    integerValue(),
    { flag: "node-cidr-mask-size-ipv6", path: "nodeIPAMController.nodeCIDRMaskSizeIPv6" },
    defaultOf("nodeCIDRMaskSizeIPv6")
  )
}

/** The given IPAM settings of kube-controller-manager. */
export interface IpamSettings extends Given<typeof ipamSettings> {}

/** Derives the IPAM plan from kube-controller-manager's settings; undefined if it allocates no pod CIDRs. */
export const ipamPlanOf = (given: IpamSettings): Result.Result<IpamPlan | undefined, string> => {
  const { serviceClusterIPRange, ...flags } = pickSettings(ipamSettings, given)
  const services = serviceClusterIPRange === undefined ? Result.succeed({}) : serviceRanges(serviceClusterIPRange)
  return Result.flatMap(services, (ranges) => ipamPlan({ ...defaultIpamFlags, ...flags, ...ranges }))
}

/** Rejects settings with which kube-controller-manager would not start, with its own message. */
export const checkIpam = (file: string, path: string, given: IpamSettings): Result.Result<void, InvalidInput> =>
  Result.mapBoth(ipamPlanOf(given), {
    onSuccess: () => undefined,
    onFailure: (message) => invalid(file, path, `kube-controller-manager would not start: ${message}`)
  })
