import type { Pod } from "@rollcall/api"
import type { PlannedPod, ShutdownPhase, ShutdownPlan } from "../plan/planShutdown.ts"
import { each, podCount, podName, type ShutdownFinding } from "./Finding.ts"

const isOfDaemonSet = ({ metadata }: Pod): boolean =>
  (metadata.ownerReferences ?? []).some(({ controller, kind }) => kind === "DaemonSet" && controller === true)

/** Folders in which the kubelet looks for drivers that register themselves. */
const PLUGIN_FOLDERS = /\/plugins_registry\b|\/kubelet\/plugins(\/|$)/

/**
 * Whether a pod is a storage driver's node plugin: it registers with the kubelet, or has its socket in the kubelet's
 * folder.
 */
const isStorageDriver = (pod: Pod): boolean =>
  isOfDaemonSet(pod) &&
  ((pod.spec.volumes ?? []).some(({ hostPath }) => hostPath !== undefined && PLUGIN_FOLDERS.test(hostPath.path)) ||
    pod.spec.containers.some(({ name }) => name.endsWith("driver-registrar")))

/** Whether a pod has a volume that a driver must unmount. */
const usesStorage = ({ spec }: Pod): boolean =>
  (spec.volumes ?? []).some(
    ({ csi, ephemeral, persistentVolumeClaim }) => (persistentVolumeClaim ?? csi ?? ephemeral) !== undefined
  )

const names = (pods: ReadonlyArray<PlannedPod>): ReadonlyArray<string> => pods.map(({ pod }) => podName(pod))

const usersOf = ({ pods }: ShutdownPhase) => pods.filter(({ pod }) => usesStorage(pod) && !isStorageDriver(pod))

const driverFindings = (phase: ShutdownPhase, later: ReadonlyArray<ShutdownPhase>): ReadonlyArray<ShutdownFinding> => {
  const drivers = phase.pods.filter(({ pod }) => isStorageDriver(pod))
  if (drivers.length === 0) return []
  const subject = `bucket ${phase.priority}`
  const are = `${podCount(drivers.length)} of this bucket ${each(drivers.length, "is a storage driver", "are storage drivers")}`
  const findings: Array<ShutdownFinding> = []
  const together = usersOf(phase)
  if (together.length > 0) {
    findings.push({
      severity: "warning",
      code: "storage-driver-with-users",
      subject,
      message:
        `${are}, killed at the same time as ${podCount(together.length)} with volumes: those volumes may stay mounted. Give drivers a higher ` +
        "priority, such as system-node-critical, and a bucket of their own.",
      pods: names(drivers)
    })
  }
  const after = later.flatMap(usersOf)
  if (after.length > 0) {
    findings.push({
      severity: "warning",
      code: "storage-driver-first",
      subject,
      message:
        `${are}, killed before ${podCount(after.length)} with volumes: those volumes can no longer be unmounted. Give drivers a ` +
        "higher priority than their users.",
      pods: names(drivers)
    })
  }
  return findings
}

const unmountFindings = (phase: ShutdownPhase): ReadonlyArray<ShutdownFinding> => {
  const seconds = phase.shutdownGracePeriodSeconds
  const tight = usersOf(phase).filter(({ graceSeconds }) => graceSeconds === seconds)
  if (tight.length === 0 || seconds <= 0) return []
  return [
    {
      severity: "info",
      code: "no-time-for-volumes",
      subject: `bucket ${phase.priority}`,
      message:
        `${podCount(tight.length)} with volumes may take all ${seconds}s of this bucket to end: then no time is left in it to unmount ` +
        "them, and the next phase begins.",
      pods: names(tight)
    }
  ]
}

/** Findings about which pods unmount volumes, and whether they have time for it. */
export const storageFindings = ({ phases }: ShutdownPlan): ReadonlyArray<ShutdownFinding> =>
  phases.flatMap((phase, index) => [...driverFindings(phase, phases.slice(index + 1)), ...unmountFindings(phase)])
