import type { Pod } from "@rollcall/api"
import type { ApiRequest } from "@rollcall/cluster"
import type { KubeletConfiguration } from "@rollcall/kubelet"
import { type KubeletRequest, NODE } from "../Life.ts"

/** What happens to a node: an administrator's request, or something on the machine. */
export type NodeAction =
  | { readonly request: ApiRequest }
  /** The process of the kubelet starts, or ends by SIGTERM. The containers stay. */
  | { readonly process: "start" | "stop" }
  /** The machine begins to shut down, or does not any more. */
  | { readonly shutdown: boolean }
  /** A manifest of a static pod is written, or removed. */
  | { readonly manifest: string; readonly pod?: Pod }

export type NodeStep = NodeAction & {
  /** In seconds since the first step. */
  readonly at: number
}

/** A node without a Node, Lease or pods at first, and what happens to it. */
export interface NodeShape {
  readonly name: string
  /** How long it is observed, in seconds since the first step. */
  readonly seconds: number
  /** What its kubelet is configured with. */
  readonly config?: KubeletConfiguration
  readonly steps: ReadonlyArray<NodeStep>
}

/** A shape, and all requests that the kubelet of `node` made. */
export interface NodeLife extends NodeShape {
  readonly node: string
  readonly requests: ReadonlyArray<KubeletRequest>
}

/** Returns the steps of a shape for this node. */
export const nodeStepsFor = ({ steps }: NodeShape, node: string): ReadonlyArray<NodeStep> =>
  JSON.parse(JSON.stringify(steps).replaceAll(NODE, node)) as ReadonlyArray<NodeStep>
