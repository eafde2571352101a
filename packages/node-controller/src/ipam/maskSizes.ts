import * as Result from "effect/Result"
import type { IPRange } from "./IPRange.ts"

/** `--node-cidr-mask-size`, `--node-cidr-mask-size-ipv4` and `--node-cidr-mask-size-ipv6`; 0 means not set. */
export interface MaskSizeFlags {
  readonly nodeCIDRMaskSize: number
  readonly nodeCIDRMaskSizeIPv4: number
  readonly nodeCIDRMaskSizeIPv6: number
}

/** Upstream: cmd/kube-controller-manager/app/core.go defaultNodeMaskCIDRIPv4, defaultNodeMaskCIDRIPv6. */
const DEFAULT_IPV4 = 24
const DEFAULT_IPV6 = 64

/**
 * The mask length of a node's block in each range; fails with the reason if the flags conflict.
 * Upstream: cmd/kube-controller-manager/app/core.go setNodeCIDRMaskSizes.
 */
export const nodeMaskSizes = (
  { nodeCIDRMaskSize: both, nodeCIDRMaskSizeIPv4: ipv4, nodeCIDRMaskSizeIPv6: ipv6 }: MaskSizeFlags,
  ranges: ReadonlyArray<Pick<IPRange, "family">>
): Result.Result<ReadonlyArray<number>, string> => {
  const sizes = () => ranges.map(({ family }) => (family === 4 ? ipv4 || DEFAULT_IPV4 : ipv6 || DEFAULT_IPV6))
  if (ranges.length > 1) {
    return both === 0
      ? Result.succeed(sizes())
      : Result.fail("usage of --node-cidr-mask-size is not allowed with dual-stack clusters")
  }
  if (both !== 0) {
    return ipv4 === 0 && ipv6 === 0
      ? Result.succeed(ranges.map(() => both))
      : Result.fail(
          "usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if --node-cidr-mask-size is set. For dual-stack clusters please unset it and use IPFamily specific flags"
        )
  }
  const family = ranges[0]?.family
  if (family === 6 && ipv4 !== 0) {
    return Result.fail("usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster")
  }
  if (family === 4 && ipv6 !== 0) {
    return Result.fail("usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster")
  }
  return Result.succeed(sizes())
}
