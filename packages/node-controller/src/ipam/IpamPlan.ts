import * as Result from "effect/Result"
import { CidrSet } from "./CidrSet.ts"
import { bitsOf, type IPRange, parseRange } from "./IPRange.ts"
import { type MaskSizeFlags, nodeMaskSizes } from "./maskSizes.ts"

/** kube-controller-manager's flags about pod addresses; a mask size of 0 means not set. */
export interface IpamFlags extends MaskSizeFlags {
  readonly allocateNodeCIDRs: boolean
  /** A range, or two of different families, separated by a comma. */
  readonly clusterCIDR: string
  readonly cidrAllocatorType: string
  readonly serviceCIDR: string
  readonly secondaryServiceCIDR: string
}

export const defaultIpamFlags: IpamFlags = {
  allocateNodeCIDRs: false,
  clusterCIDR: "",
  cidrAllocatorType: "RangeAllocator",
  serviceCIDR: "",
  secondaryServiceCIDR: "",
  nodeCIDRMaskSize: 0,
  nodeCIDRMaskSizeIPv4: 0,
  nodeCIDRMaskSizeIPv6: 0
}

/** The ranges to allocate from, and the size of each node's block. */
export interface IpamPlan {
  /** One range, or two of different families. */
  readonly ranges: ReadonlyArray<{ readonly cluster: IPRange; readonly nodeMaskSize: number }>
  /** The ranges of Services, which no node's block may overlap. */
  readonly services: ReadonlyArray<IPRange>
}

/**
 * Splits the value of `--service-cluster-ip-range` into its one or two ranges.
 * Upstream: cmd/kube-controller-manager/app/options/nodeipamcontroller.go.
 */
export const serviceRanges = (
  text: string
): Result.Result<Pick<IpamFlags, "serviceCIDR" | "secondaryServiceCIDR">, string> => {
  const [serviceCIDR = "", secondaryServiceCIDR = "", ...more] = text.split(",")
  return more.length > 0
    ? Result.fail("--service-cluster-ip-range can not contain more than two entries")
    : Result.succeed({ serviceCIDR, secondaryServiceCIDR })
}

const hasBothFamilies = (ranges: ReadonlyArray<IPRange>): boolean =>
  ranges.some(({ family }) => family === 4) && ranges.some(({ family }) => family === 6)

/** Upstream: cmd/kube-controller-manager/app/core.go validateCIDRs. */
const parseClusterRanges = (text: string): Result.Result<ReadonlyArray<IPRange>, string> => {
  const ranges: Array<IPRange> = []
  for (const [index, part] of text.trim().split(",").entries()) {
    const range = parseRange(part)
    if (range === undefined) return Result.fail(`invalid CIDR[${index}]: <nil> (invalid CIDR address: ${part})`)
    ranges.push(range)
  }
  if (ranges.length > 1 && !hasBothFamilies(ranges)) {
    const count = ranges.length
    return Result.fail(
      `len of ClusterCIDRs==${count} and they are not configured as dual stack (at least one from each IPFamily`
    )
  }
  return ranges.length > 2
    ? Result.fail(`length of clusterCIDRs is:${ranges.length} more than max allowed of 2`)
    : Result.succeed(ranges)
}

/** The ranges of Services; an invalid one counts as not set. */
const serviceRangesOf = ({
  secondaryServiceCIDR,
  serviceCIDR
}: IpamFlags): Result.Result<ReadonlyArray<IPRange>, string> => {
  const ranges = [serviceCIDR, secondaryServiceCIDR].flatMap((text) => parseRange(text) ?? [])
  return ranges.length === 2 && !hasBothFamilies(ranges)
    ? Result.fail("serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)")
    : Result.succeed(ranges)
}

const checkMaskSize = ({ nodeMaskSize, cluster }: IpamPlan["ranges"][number]): Result.Result<void, string> => {
  if (nodeMaskSize > bitsOf(cluster)) {
    return Result.fail(
      `a node CIDR mask size of ${nodeMaskSize} is more than an address of IPv${cluster.family} has bits`
    )
  }
  return cluster.length > nodeMaskSize
    ? Result.fail(
        "Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to --node-cidr-mask-size configured for CIDR family"
      )
    : Result.succeed(undefined)
}

/**
 * The allocation plan, or undefined if nothing is allocated. Fails with the error with which kube-controller-manager
 * would not start. Upstream: cmd/kube-controller-manager/app/core.go newNodeIpamController,
 * pkg/controller/nodeipam/node_ipam_controller.go.
 */
export const ipamPlan = (flags: IpamFlags): Result.Result<IpamPlan | undefined, string> =>
  Result.gen(function* () {
    if (!flags.allocateNodeCIDRs) return undefined
    if (flags.cidrAllocatorType === "CloudAllocator") {
      return yield* Result.fail("--cidr-allocator-type is set to 'CloudAllocator' but cloud provider is not configured")
    }
    const clusters = yield* parseClusterRanges(flags.clusterCIDR)
    const services = yield* serviceRangesOf(flags)
    const sizes = yield* nodeMaskSizes(flags, clusters)
    const ranges = clusters.map((cluster, index) => ({ cluster, nodeMaskSize: sizes[index] ?? 0 }))
    for (const range of ranges) yield* checkMaskSize(range)
    if (flags.cidrAllocatorType !== "RangeAllocator") {
      return yield* Result.fail(`invalid CIDR allocator type: ${flags.cidrAllocatorType}`)
    }
    for (const { cluster, nodeMaskSize } of ranges) yield* CidrSet.make(cluster, nodeMaskSize)
    return { ranges, services }
  })
