import type { System } from "./System.ts"

export interface HugePages {
  readonly pageSizeKiB: number
  readonly count: number
}

/**
 * Pre-allocated huge pages below a `hugepages` folder, smallest first; includes sizes without pages.
 * Upstream: cadvisor GetHugePagesInfo.
 */
export const readHugePages = (system: System, path: string): ReadonlyArray<HugePages> =>
  system
    .list(path)
    .flatMap((name): ReadonlyArray<HugePages> => {
      const size = /^hugepages-(\d+)kB$/.exec(name)?.[1]
      const count = Number(system.read(`${path}/${name}/nr_hugepages`))
      return size === undefined || !Number.isInteger(count) ? [] : [{ pageSizeKiB: Number(size), count }]
    })
    .sort((a, b) => a.pageSizeKiB - b.pageSizeKiB)
