import { parsePrettyName } from "./parse/osRelease.ts"
import type { System } from "./System.ts"

/** The machine's ids, kernel, operating system and architecture. */
export interface Identity {
  readonly machineID: string
  readonly systemUUID: string
  readonly bootID: string
  readonly kernelVersion: string
  readonly osImage: string
  /** The architecture in Go's terms: amd64, arm64. */
  readonly architecture: string
}

/** Go's names for the architectures that Node names differently. */
const goArchitectures: Readonly<Record<string, string>> = {
  x64: "amd64",
  ia32: "386",
  ppc64: "ppc64le",
  loong64: "loong64"
}

const readFirst = (system: System, paths: ReadonlyArray<string>): string => {
  for (const path of paths) {
    const text = system.read(path)
    if (text !== undefined) return text.replaceAll("\0", "").trim()
  }
  return ""
}

/**
 * Reads the identity. What cannot be read is empty, or `Unknown` where upstream says so. Upstream: cadvisor
 * machine/info.go, utils/sysfs/sysfs.go GetSystemUUID.
 */
export const readIdentity = (system: System): Identity => {
  const osRelease = system.read("/etc/os-release") ?? system.read("/usr/lib/os-release")
  return {
    machineID: readFirst(system, ["/etc/machine-id", "/var/lib/dbus/machine-id"]),
    systemUUID: readFirst(system, [
      "/sys/class/dmi/id/product_uuid",
      "/proc/device-tree/system-id",
      "/proc/device-tree/vm,uuid",
      "/etc/machine-id"
    ]),
    bootID: readFirst(system, ["/proc/sys/kernel/random/boot_id"]),
    kernelVersion: readFirst(system, ["/proc/sys/kernel/osrelease"]) || "Unknown",
    osImage: osRelease === undefined ? "Unknown" : parsePrettyName(osRelease),
    architecture: goArchitectures[system.architecture] ?? system.architecture
  }
}
