import type { Pod } from "@rollcall/api"
import type { PlannedPod, ShutdownPhase, ShutdownPlan } from "../plan/planShutdown.ts"
import { podCount, podName, type ShutdownFinding, singularOrPlural } from "./Finding.ts"

const isOfDaemonSet = ({ metadata }: Pod): boolean =>
  (metadata.ownerReferences ?? []).some(({ controller, kind }) => kind === "DaemonSet" && controller === true)

/** Matches the folders in which the kubelet looks for drivers that register themselves. */
const PLUGIN_FOLDERS = /\/plugins_registry\b|\/kubelet\/plugins(\/|$)/

/**
 * Whether a pod is a storage driver's node plugin: of a DaemonSet, and registered with the kubelet or with its socket
 * in the kubelet's folder.
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

const names = (pods: ReadonlyArray<PlannedPod<Pod>>): ReadonlyArray<string> => pods.map(({ pod }) => podName(pod))

/** Returns the pods of a phase whose volumes a driver must unmount. */
const usersOf = ({ pods }: ShutdownPhase<Pod>) => pods.filter(({ pod }) => usesStorage(pod) && !isStorageDriver(pod))

/** Finds storage drivers that are killed before the pods whose volumes they must unmount, or together with them. */
const driverFindings = (
  phase: ShutdownPhase<Pod>,
  later: ReadonlyArray<ShutdownPhase<Pod>>
): ReadonlyArray<ShutdownFinding> => {
  const drivers = phase.pods.filter(({ pod }) => isStorageDriver(pod))
  if (drivers.length === 0) return []
  const subject = `bucket ${phase.priority}`
  const subjectText = `${podCount(drivers.length)} of this bucket ${singularOrPlural(drivers.length, "is a storage driver", "are storage drivers")}`
  const findings: Array<ShutdownFinding> = []
  const usersOfSamePhase = usersOf(phase)
  if (usersOfSamePhase.length > 0) {
    findings.push({
      severity: "warning",
      code: "storage-driver-with-users",
      subject,
      message:
        `${subjectText}, killed at the same time as ${podCount(usersOfSamePhase.length)} with volumes: those volumes may stay mounted. Give drivers a higher ` +
        "priority, such as system-node-critical, and a bucket of their own.",
      pods: names(drivers)
    })
  }
  const usersOfLaterPhases = later.flatMap(usersOf)
  if (usersOfLaterPhases.length > 0) {
    findings.push({
      severity: "warning",
      code: "storage-driver-first",
      subject,
      message:
        `${subjectText}, killed before ${podCount(usersOfLaterPhases.length)} with volumes: those volumes can no longer be unmounted. Give drivers a ` +
        "higher priority than their users.",
      pods: names(drivers)
    })
  }
  return findings
}

/** Finds pods that may use up their bucket's time, so that none is left to unmount their volumes. */
const unmountFindings = (phase: ShutdownPhase<Pod>): ReadonlyArray<ShutdownFinding> => {
  const seconds = phase.shutdownGracePeriodSeconds
  const withoutSpareTime = usersOf(phase).filter(({ graceSeconds }) => graceSeconds === seconds)
  if (withoutSpareTime.length === 0 || seconds <= 0) return []
  return [
    {
      severity: "info",
      code: "no-time-for-volumes",
      subject: `bucket ${phase.priority}`,
      message:
        `${podCount(withoutSpareTime.length)} with volumes may take all ${seconds}s of this bucket to end: then no time is left in it to unmount ` +
        "them, and the next phase begins.",
      pods: names(withoutSpareTime)
    }
  ]
}

/** Returns the findings about storage drivers, and about the time to unmount volumes. */
export const storageFindings = ({ phases }: ShutdownPlan<Pod>): ReadonlyArray<ShutdownFinding> =>
  phases.flatMap((phase, index) => [...driverFindings(phase, phases.slice(index + 1)), ...unmountFindings(phase)])
