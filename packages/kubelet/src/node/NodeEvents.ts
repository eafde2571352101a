import type { Node, ObjectReference } from "@rollcall/api"
import type { EventRecorder } from "@rollcall/cluster"

type Recorder = Pick<EventRecorder, "event">

/**
 * How a kubelet's Events name its node: with its name for a UID, since it tells of nodes that are not registered yet.
 * `kubectl describe node` asks for Events by the Node's UID and by its name in place of it; it shows none without either, as
 * kubelet 1.36 writes them (kubernetes/kubernetes#138524). Upstream: pkg/kubelet/kubelet.go nodeRef.
 */
const nodeReference = (name: string): ObjectReference => ({ apiVersion: "v1", kind: "Node", name, uid: name })

/** An Event about the node itself. */
export const tellNode = (
  recorder: Recorder,
  name: string,
  type: "Normal" | "Warning",
  reason: string,
  message: string
): void => recorder.event(nodeReference(name), type, reason, message)

export const tellOfStart = (recorder: Recorder, name: string): void =>
  tellNode(recorder, name, "Normal", "Starting", "Starting kubelet.")

/** What the setters have to say. */
export const tellOfNode = (recorder: Recorder, name: string, reasons: ReadonlyArray<string>): void => {
  for (const reason of reasons) {
    recorder.event(nodeReference(name), "Normal", reason, `Node ${name} status is now: ${reason}`)
  }
}

/** Tells that the machine was started anew, if the boot ids say so. */
export const tellOfReboot = (recorder: Recorder, name: string, before: Node, now: Node): boolean => {
  const oldID = before.status?.nodeInfo?.bootID ?? ""
  const bootID = now.status?.nodeInfo?.bootID ?? ""
  if (oldID === "" || oldID === bootID) return false
  recorder.event(nodeReference(name), "Warning", "Rebooted", `Node ${name} has been rebooted, boot id: ${bootID}`)
  return true
}
