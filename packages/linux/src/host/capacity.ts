import { formatQuantity, makeQuantity, type ResourceList } from "@rollcall/api"
import { onlineCpus } from "./cpus.ts"
import { readHugePages } from "./hugePages.ts"
import { memoryCapacity } from "./memory.ts"
import { fileSystemOf, type System } from "./System.ts"

const bytes = (amount: number): string => formatQuantity(makeQuantity(amount, "BinarySI"))

/**
 * The machine's capacity, as in a Node's `status.capacity`; without `pods`, which is configured.
 * Upstream: pkg/kubelet/cadvisor/util.go CapacityFromMachineInfo, EphemeralStorageCapacityFromFsInfo.
 */
export const readCapacity = (system: System, rootDir: string): ResourceList => {
  const disk = fileSystemOf(system, rootDir)
  const hugePages = readHugePages(system, "/sys/kernel/mm/hugepages").map(({ count, pageSizeKiB }) => [
    `hugepages-${bytes(pageSizeKiB * 1024)}`,
    bytes(count * pageSizeKiB * 1024)
  ])
  return {
    cpu: String(onlineCpus(system).length),
    memory: bytes(memoryCapacity(system)),
    ...(disk === undefined ? {} : { "ephemeral-storage": bytes(disk.capacity) }),
    ...Object.fromEntries(hugePages)
  }
}
