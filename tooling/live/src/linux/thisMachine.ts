import { hostname } from "node:os"
import { join } from "node:path"
import { fromConnection } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { eventually } from "../process/eventually.ts"
import { configOf, connectionTo, startRollcall, temporaryFolder } from "../process/rollcall.ts"
import { rootDirIn, startLinuxKubelet } from "./linuxKubelet.ts"
import { compareNode } from "./machineFacts.ts"

/** Registers this machine with a new cluster, and compares its Node with the machine. */
export const thisMachine = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const up = yield* startRollcall("up", "--nodes", "2", "--port", "0", "--data-dir", folder)
  yield* up.waitForOutput(/2 nodes are Ready/)
  const kubeconfig = join(folder, "admin.conf")
  const name = hostname().trim().toLowerCase()
  yield* startLinuxKubelet({ kubeconfig, folder, name, config: {} })
  const cluster = fromConnection(yield* connectionTo(yield* configOf(kubeconfig)))
  const node = yield* eventually("the Node is Ready", cluster.get("Node", { name }), ({ status }) =>
    (status?.conditions ?? []).some((condition) => condition.type === "Ready" && condition.status === "True")
  )
  return { node, findings: yield* compareNode(node, rootDirIn(folder)) }
})
