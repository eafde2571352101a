import type { Node } from "@rollcall/api"
import type { EventRecorder } from "@rollcall/cluster"
import { tellOfNode, tellOfReboot } from "./NodeEvents.ts"
import type { ComputedNode } from "./NodeStatusOf.ts"

/** Tells of one process' node in Events, each thing once. */
export class NodeTeller {
  private readonly recorder: Pick<EventRecorder, "event">
  private readonly name: string
  private rebootTold = false
  /** As was told last; a kubelet that starts takes its node for schedulable. */
  private unschedulable = false

  constructor(recorder: Pick<EventRecorder, "event">, name: string) {
    this.recorder = recorder
    this.name = name
  }

  /** The next pass has to tell that the node takes pods again, or no more. */
  owes(node: Node | undefined): boolean {
    return node !== undefined && (node.spec?.unschedulable === true) !== this.unschedulable
  }

  /** What the setters have made of the Node, in their order. */
  tell(read: Node, { events, node }: Pick<ComputedNode, "events" | "node">): void {
    if (!this.rebootTold) this.rebootTold = tellOfReboot(this.recorder, this.name, read, node)
    tellOfNode(this.recorder, this.name, events)
    if (!this.owes(read)) return
    this.unschedulable = !this.unschedulable
    tellOfNode(this.recorder, this.name, [this.unschedulable ? "NodeNotSchedulable" : "NodeSchedulable"])
  }
}
