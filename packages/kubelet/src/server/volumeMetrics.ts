import { familiesText, type Sample } from "@rollcall/time"
import type { Summary, VolumeStats } from "../stats/Summary.ts"
import { presentFamily } from "./presentFamily.ts"

type ClaimStats = VolumeStats & Required<Pick<VolumeStats, "pvcRef">>
type Amount = Exclude<keyof VolumeStats, "name" | "pvcRef" | "time">

const families: ReadonlyArray<readonly [name: string, help: string, of: Amount]> = [
  ["available_bytes", "Number of available bytes in the volume", "availableBytes"],
  ["capacity_bytes", "Capacity in bytes of the volume", "capacityBytes"],
  ["inodes", "Maximum number of inodes in the volume", "inodes"],
  ["inodes_free", "Number of free inodes in the volume", "inodesFree"],
  ["inodes_used", "Number of used inodes in the volume", "inodesUsed"],
  ["used_bytes", "Number of used bytes in the volume", "usedBytes"]
]

const isOfClaim = (stats: VolumeStats): stats is ClaimStats => stats.pvcRef !== undefined

const keyOf = ({ pvcRef: { name, namespace } }: ClaimStats): string => `${namespace}\0${name}`

/** Returns the part of `/metrics` that has the volumes of claims. Upstream: pkg/kubelet/metrics/collectors/volume_stats.go. */
export const volumeMetrics = ({ pods }: Summary): string => {
  const claims = new Map<string, ClaimStats>()
  for (const stats of pods.flatMap(({ volume = [] }) => volume).filter(isOfClaim)) {
    if (!claims.has(keyOf(stats))) claims.set(keyOf(stats), stats)
  }
  return familiesText(
    families.flatMap(([name, help, of]) => {
      const samples = [...claims.values()].flatMap(({ [of]: value, pvcRef }): ReadonlyArray<Sample> => {
        const labels = [
          ["namespace", pvcRef.namespace],
          ["persistentvolumeclaim", pvcRef.name]
        ] as const
        return value === undefined ? [] : [{ labels, value }]
      })
      return presentFamily(`kubelet_volume_stats_${name}`, `[ALPHA] ${help}`, samples)
    })
  )
}
