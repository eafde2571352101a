/** One area of /proc/swaps; sizes in bytes. */
export interface SwapArea {
  readonly name: string
  readonly size: number
}

/** The areas of /proc/swaps: each line after the heading is one. Upstream: pkg/kubelet/util/swap/swap_util.go. */
export const parseSwaps = (text: string): ReadonlyArray<SwapArea> =>
  text
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => {
      const [name = "", , kibibytes] = line.trim().split(/\s+/)
      return { name, size: Number(kibibytes ?? 0) * 1024 }
    })
