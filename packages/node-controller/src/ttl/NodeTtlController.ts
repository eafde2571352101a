import { Controller } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { nextStep, secondsOf } from "./ttlStep.ts"

const ANNOTATION = "node.alpha.kubernetes.io/ttl"

/**
 * Annotates nodes with the seconds that their kubelets may cache Secrets and ConfigMaps, by the number of nodes. A change of
 * the number reaches a node with its next change. Upstream: pkg/controller/ttl.
 */
export const layerNodeTtl = Controller.make({
  name: "ttl-controller",
  queue: "ttlcontroller",
  for: "Node",
  when: (_, { isDeleted }) => !isDeleted,
  workers: 5,
  reconcile: ({ cache, cluster }) => {
    const nodes = cache("Node")
    let step = 0
    return (name) => {
      const node = nodes.get(name)
      step = nextStep(step, nodes.size())
      const value = String(secondsOf(step))
      if (node === undefined || isSame(node.metadata.annotations?.[ANNOTATION], value)) return Effect.void
      return Effect.asVoid(
        cluster.patch("Node", { name }, "strategic", { metadata: { annotations: { [ANNOTATION]: value } } })
      )
    }
  }
})

/** Whether an annotation is the number that it should be, however it is written. */
const isSame = (text: string | undefined, value: string): boolean =>
  text !== undefined && /^[+-]?\d+$/.test(text) && Number(text) === Number(value)
