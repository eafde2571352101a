import { readdirSync, readFileSync } from "node:fs"
import { counter, type Family, gauge, type MetricSet } from "@rollcall/time"

/*
 * The metrics of a process that Prometheus' clients have. Upstream: prometheus/client_golang, process_collector.go.
 * Of Go's runtime there are only those that mean the same in a JavaScript engine.
 */

export const processFamilies = {
  cpuSeconds: counter("process_cpu_seconds_total", undefined, "Processor time of the process in seconds."),
  openFiles: gauge("process_open_fds", undefined, "Open file descriptors."),
  maxFiles: gauge("process_max_fds", undefined, "The most file descriptors that the process may open."),
  resident: gauge("process_resident_memory_bytes", undefined, "Resident memory in bytes."),
  virtual: gauge("process_virtual_memory_bytes", undefined, "Virtual memory in bytes."),
  maxVirtual: gauge("process_virtual_memory_max_bytes", undefined, "The most virtual memory in bytes."),
  started: gauge("process_start_time_seconds", undefined, "When the process started, in seconds since the Unix epoch."),
  received: counter("process_network_receive_bytes_total", undefined, "Bytes received by the network of the process."),
  transmitted: counter("process_network_transmit_bytes_total", undefined, "Bytes sent by the network of the process."),
  threads: gauge("go_threads", undefined, "Threads of the operating system."),
  allocated: gauge("go_memstats_alloc_bytes", undefined, "Bytes of the heap that are in use."),
  heapAllocated: gauge("go_memstats_heap_alloc_bytes", undefined, "Bytes of the heap that are in use."),
  heapTotal: gauge("go_memstats_heap_sys_bytes", undefined, "Bytes that the heap has from the system.")
}

const MICROSECONDS = 1e6
const PAGE_BYTES = 4096
/** The largest number of 64 bits stands for "unlimited". */
const UNLIMITED = 2 ** 64

/** Returns the content of a file of `/proc/self`; undefined where there is none. */
const procFile = (name: string): string | undefined => {
  try {
    return readFileSync(`/proc/self/${name}`, "latin1")
  } catch {
    return undefined
  }
}

const numberIn = (text: string | undefined, pattern: RegExp): number | undefined => {
  const found = text === undefined ? undefined : pattern.exec(text)?.[1]
  if (found === undefined) return undefined
  return found === "unlimited" ? UNLIMITED : Number(found)
}

const openFiles = (): number | undefined => {
  try {
    return readdirSync("/proc/self/fd").length
  } catch {
    return undefined
  }
}

/** Returns a field of the second line of a protocol in `/proc/self/net/netstat`, by its name in the first. */
const networkBytes = (field: "InOctets" | "OutOctets"): number | undefined => {
  const [names, values] = (procFile("net/netstat") ?? "").split("\n").filter((line) => line.startsWith("IpExt:"))
  const at = names?.split(" ").indexOf(field) ?? -1
  const value = at < 0 ? undefined : values?.split(" ")[at]
  return value === undefined ? undefined : Number(value)
}

/** Adds the metrics of this process; those that the system does not tell are omitted. */
export const addProcessMetrics = (set: MetricSet): void => {
  const startedSeconds = Math.round((performance.timeOrigin / 1000) * 100) / 100
  const read = (family: Family<never>, value: () => number | undefined) =>
    set.read(family, () => {
      const now = value()
      return now === undefined ? [] : [[{}, now]]
    })
  read(processFamilies.cpuSeconds, () => {
    const { system, user } = process.cpuUsage()
    return (system + user) / MICROSECONDS
  })
  read(processFamilies.openFiles, openFiles)
  read(processFamilies.maxFiles, () => numberIn(procFile("limits"), /^Max open files\s+(\S+)/m))
  read(processFamilies.resident, () => process.memoryUsage.rss())
  read(processFamilies.virtual, () => {
    const pages = numberIn(procFile("statm"), /^(\d+)/)
    return pages === undefined ? undefined : pages * PAGE_BYTES
  })
  read(processFamilies.maxVirtual, () => numberIn(procFile("limits"), /^Max address space\s+(\S+)/m))
  read(processFamilies.started, () => startedSeconds)
  read(processFamilies.received, () => networkBytes("InOctets"))
  read(processFamilies.transmitted, () => networkBytes("OutOctets"))
  read(processFamilies.threads, () => numberIn(procFile("status"), /^Threads:\s+(\d+)/m))
  read(processFamilies.allocated, () => process.memoryUsage().heapUsed)
  read(processFamilies.heapAllocated, () => process.memoryUsage().heapUsed)
  read(processFamilies.heapTotal, () => process.memoryUsage().heapTotal)
}
