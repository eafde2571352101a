import type { Node } from "@rollcall/api"
import type { EventRecorder } from "@rollcall/cluster"
import { recordNodeStatusEvents, recordReboot } from "./NodeEvents.ts"
import type { ComputedNode } from "./NodeStatusOf.ts"

/** Records the Events about the node for one kubelet process: a reboot, and changes of the status, each once. */
export class NodeEventRecorder {
  private readonly recorder: Pick<EventRecorder, "event">
  private readonly name: string
  private hasRecordedReboot = false
  /** The last recorded state. A kubelet that starts assumes a schedulable node. */
  private unschedulable = false

  constructor(recorder: Pick<EventRecorder, "event">, name: string) {
    this.recorder = recorder
    this.name = name
  }

  /** Whether the next update has to record that the node became schedulable or unschedulable. */
  isDue(node: Node | undefined): boolean {
    return node !== undefined && (node.spec?.unschedulable === true) !== this.unschedulable
  }

  /** Records the conditions with which the process registers the node. */
  recordFirst({ events }: Pick<ComputedNode, "events">): void {
    recordNodeStatusEvents(this.recorder, this.name, events)
  }

  /** Records the result of the setters, in their order. */
  record(read: Node, { events, node }: Pick<ComputedNode, "events" | "node">): void {
    if (!this.hasRecordedReboot) this.hasRecordedReboot = recordReboot(this.recorder, this.name, read, node)
    recordNodeStatusEvents(this.recorder, this.name, events)
    if (!this.isDue(read)) return
    this.unschedulable = !this.unschedulable
    recordNodeStatusEvents(this.recorder, this.name, [this.unschedulable ? "NodeNotSchedulable" : "NodeSchedulable"])
  }
}
