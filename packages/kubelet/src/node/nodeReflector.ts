import type { KubeObject, Node } from "@rollcall/api"
import { Reflector, watchFailureLine } from "@rollcall/cluster"
import type { Env } from "../internal/Env.ts"

/**
 * Returns a reflector of the one Node of a kubelet. `nodesListed` gets each list, `nodeChanged` each later version, or
 * undefined after a deletion.
 */
export const nodeReflector = (
  { random, connection, log, name, timers }: Env,
  nodesListed: (objects: ReadonlyArray<KubeObject>) => void,
  nodeChanged: (node: Node | undefined) => void
): Reflector =>
  new Reflector(
    connection,
    timers,
    "Node",
    { fieldSelector: `metadata.name=${name}` },
    {
      replace: nodesListed,
      acceptsHeartbeats: () => true,
      apply: ({ object, type }) => {
        if (type !== "ERROR") nodeChanged(type === "DELETED" ? undefined : (object as Node))
      },
      failed: (error, stage) => {
        const { fields, message, severity } = watchFailureLine(stage, "Node", error)
        log(severity, message, fields)
      }
    },
    random.next
  )
