import type { Node, ObjectReference } from "@rollcall/api"
import type { EventRecorder } from "@rollcall/cluster"
import { memoryBackedVolumesOnDisk } from "../swap/swapAtStart.ts"

type Recorder = Pick<EventRecorder, "event">

/**
 * Returns the reference to the node in a kubelet's Events. Its UID is the node's name, since Events are recorded before
 * the node is registered. `kubectl describe node` looks for Events whose UID is the Node's UID or its name, and does
 * not show those without a UID, as kubelet 1.36 writes them (kubernetes/kubernetes#138524). Upstream:
 * pkg/kubelet/kubelet.go nodeRef.
 */
const nodeReference = (name: string): ObjectReference => ({ apiVersion: "v1", kind: "Node", name, uid: name })

/** Records an Event about the node. */
export const recordNodeEvent = (
  recorder: Recorder,
  name: string,
  type: "Normal" | "Warning",
  reason: string,
  message: string
): void => recorder.event(nodeReference(name), type, reason, message)

/** Records that the kubelet starts, and whether volumes in memory may be swapped to disk. */
export const recordStart = (recorder: Recorder, name: string, swapsVolumes: () => boolean): void => {
  recordNodeEvent(recorder, name, "Normal", "Starting", "Starting kubelet.")
  if (!swapsVolumes()) return
  const { message, reason, type } = memoryBackedVolumesOnDisk
  recordNodeEvent(recorder, name, type, reason, message)
}

/** Records a Normal Event for each reason that the status setters returned. */
export const recordNodeStatusEvents = (recorder: Recorder, name: string, reasons: ReadonlyArray<string>): void => {
  for (const reason of reasons) {
    recorder.event(nodeReference(name), "Normal", reason, `Node ${name} status is now: ${reason}`)
  }
}

/** Records a reboot if the boot ids differ. Returns whether it has recorded one. */
export const recordReboot = (recorder: Recorder, name: string, before: Node, now: Node): boolean => {
  const oldID = before.status?.nodeInfo?.bootID ?? ""
  const bootID = now.status?.nodeInfo?.bootID ?? ""
  if (oldID === "" || oldID === bootID) return false
  recorder.event(nodeReference(name), "Warning", "Rebooted", `Node ${name} has been rebooted, boot id: ${bootID}`)
  return true
}
