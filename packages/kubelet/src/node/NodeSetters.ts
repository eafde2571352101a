import type { Node } from "@rollcall/api"
import type { Env } from "../internal/Env.ts"
import type { Machine, NodeHost } from "../runtime/NodeHost.ts"
import { initialNode, nodeInCloud } from "./InitialNode.ts"
import type { NodeInputs } from "./NodeInputs.ts"
import { type ComputedNode, computeNode } from "./NodeStatusOf.ts"
import { type NodeSetting, nodeSetting } from "./StaticStatus.ts"

/**
 * Computes a kubelet's Node from its machine, its configuration and its state. Upstream:
 * pkg/kubelet/kubelet_node_status.go defaultNodeStatusFuncs.
 */
export class NodeSetters {
  private readonly env: Env
  private readonly host: NodeHost
  private readonly inputs: NodeInputs
  private setting: NodeSetting | undefined

  constructor(env: Env, host: NodeHost, inputs: NodeInputs) {
    this.env = env
    this.host = host
    this.inputs = inputs
  }

  /** Whether the machine was recreated with the name of an existing Node. */
  get isRecreated(): boolean {
    return this.host.machine().recreated === true
  }

  /**
   * Returns the Node that this kubelet would register now, or undefined while a cloud that it must ask does not
   * respond.
   */
  initial(): Node | undefined {
    const { askCloud } = this.host
    const machineInCloud = askCloud?.()
    if (askCloud !== undefined && machineInCloud === undefined) return undefined
    const node = initialNode(this.env.name, this.settings(), this.observe(), this.env.wallTime())
    return machineInCloud === undefined ? node : nodeInCloud(node, machineInCloud)
  }

  /** Returns the Node that was read as it should be now. */
  computed(read: Node): ComputedNode {
    return computeNode(read, this.settings(), this.observe(), this.env.wallTime())
  }

  private observe() {
    return this.inputs.observe(this.env.timers.now())
  }

  private settings(): NodeSetting {
    const machine: Machine = this.host.machine()
    if (this.setting?.machine !== machine) {
      const { config, release } = this.env
      this.setting = nodeSetting(machine, config, release)
    }
    return this.setting
  }
}
