import { type Node, nodeReady, type Taint, taintCloudShutdown } from "@rollcall/api"
import * as Result from "effect/Result"
import { carriesTaint } from "../Taints.ts"
import type { CloudError } from "./CloudProvider.ts"

/** The taint of a node whose instance is shut down. */
export const shutdownTaint: Taint = { key: taintCloudShutdown, effect: "NoSchedule" }

/** The cloud's answers so far; a field is absent until its question was asked. */
export interface InstanceAnswers {
  readonly exists?: Result.Result<boolean, CloudError>
  readonly shutdown?: Result.Result<boolean, CloudError>
}

/** The next call to the cloud, or the final action. */
export type InstanceVerdict = "askExists" | "askShutdown" | "delete" | "addTaint" | "removeTaint" | "nothing"

/** The cloud is only asked about nodes that are not Ready, whatever the state of their machines. */
const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ status: state, type }) => type === nodeReady && state === "True") === true

/**
 * Decides about a node from its cloud's answers. A failed call changes nothing, and a taint stays until the node is
 * Ready again. Upstream: staging/src/k8s.io/cloud-provider/controllers/nodelifecycle/node_lifecycle_controller.go
 * MonitorNodes.
 */
export const judgeInstance = (node: Node, { exists, shutdown }: InstanceAnswers = {}): InstanceVerdict => {
  const tainted = carriesTaint(node, shutdownTaint)
  if (isReady(node)) return tainted ? "removeTaint" : "nothing"
  if (exists === undefined) return "askExists"
  if (Result.isFailure(exists)) return "nothing"
  if (!exists.success) return "delete"
  if (shutdown === undefined) return "askShutdown"
  return Result.isSuccess(shutdown) && shutdown.success && !tainted ? "addTaint" : "nothing"
}
