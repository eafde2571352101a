import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type FileSystem, makeSystem, type System, type SystemOptions } from "../../../src/host/index.ts"

/** A machine as test data: its files, and what files do not contain. */
export interface MachineTree extends Omit<SystemOptions, "root"> {
  readonly files: Readonly<Record<string, string>>
}

export const CGROUP2 = 0x63677270
export const TMPFS = 0x01021994
export const EXT4 = 0xef53

export const disk = (gibibytes: number, type = EXT4): FileSystem => ({
  type,
  capacity: gibibytes * 2 ** 30,
  available: (gibibytes * 2 ** 30) / 2,
  inodes: 1000 * gibibytes,
  inodesFree: 900 * gibibytes
})

/** Writes the files into a temporary folder, until the scope ends. */
export const systemOf = ({ files, ...options }: MachineTree): Effect.Effect<System, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const root = mkdtempSync(join(tmpdir(), "machine-"))
        for (const [path, text] of Object.entries(files)) {
          mkdirSync(dirname(join(root, path)), { recursive: true })
          writeFileSync(join(root, path), `${text}\n`)
        }
        return root
      }),
      (root) => Effect.sync(() => rmSync(root, { recursive: true, force: true }))
    ),
    (root) => makeSystem({ ...options, root })
  )

/** The files that describe the place of one processor. */
export const cpuFiles = (
  cpu: number,
  place: { core: number; socket: number; l3?: number }
): Record<string, string> => ({
  [`sys/devices/system/cpu/cpu${cpu}/topology/core_id`]: String(place.core),
  [`sys/devices/system/cpu/cpu${cpu}/topology/physical_package_id`]: String(place.socket),
  [`sys/devices/system/cpu/cpu${cpu}/cache/index0/level`]: "1",
  [`sys/devices/system/cpu/cpu${cpu}/cache/index0/id`]: "77",
  ...(place.l3 === undefined
    ? {}
    : {
        [`sys/devices/system/cpu/cpu${cpu}/cache/index3/level`]: "3",
        [`sys/devices/system/cpu/cpu${cpu}/cache/index3/id`]: String(place.l3)
      })
})

/** The folder `hugepages` of a machine or a NUMA node: pages by size in KiB. */
export const hugePageFiles = (folder: string, pages: Readonly<Record<number, number>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(pages).map(([size, count]) => [`${folder}/hugepages-${size}kB/nr_hugepages`, String(count)])
  )
