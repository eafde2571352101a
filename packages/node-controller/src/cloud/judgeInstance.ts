import { type Node, nodeReady, type Taint, taintCloudShutdown } from "@rollcall/api"
import * as Result from "effect/Result"
import { carriesTaint } from "../Taints.ts"
import type { CloudError } from "./CloudProvider.ts"

export const shutdownTaint: Taint = { key: taintCloudShutdown, effect: "NoSchedule" }

/** What the cloud has answered so far; absent: it was not asked. */
export interface InstanceAnswers {
  readonly exists?: Result.Result<boolean, CloudError>
  readonly shutdown?: Result.Result<boolean, CloudError>
}

/** What to ask next, or what to do at the end. */
export type InstanceVerdict = "askExists" | "askShutdown" | "delete" | "addTaint" | "removeTaint" | "nothing"

/** Whether the cloud is asked about the node: only if it is not Ready, whatever became of its machine. */
const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ status: state, type }) => type === nodeReady && state === "True") === true

/**
 * What becomes of a node by what its cloud says of its machine. A question without an answer changes nothing, and a taint stays
 * until the node is Ready again.
 * Upstream: staging/src/k8s.io/cloud-provider/controllers/nodelifecycle/node_lifecycle_controller.go MonitorNodes.
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
