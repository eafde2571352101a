import { defaultRelease, featureGatesOf, type Node, type Pod } from "@rollcall/api"
import { ConnectionError, cancellable } from "@rollcall/cluster"
import { kubeletConfig, makeAdmitHandlers, makeModelledHost, type PodRefusal } from "@rollcall/kubelet"
import { admitPod, choosePreempted, safeSysctls, sysctlAllowList, sysctlRefusal } from "@rollcall/kubelet/rules"
import * as Result from "effect/Result"
import type { Adapters, Json } from "../Adapter.ts"

const gates = featureGatesOf(defaultRelease)

const sysctl = (given: Json): Json => {
  const { allowedUnsafe = [], hostIPC, hostNetwork, kernelVersion, sysctls } = given
  const allowed = sysctlAllowList([...safeSysctls(defaultRelease.safeSysctls, kernelVersion), ...allowedUnsafe])
  const named = sysctls.map((name: string) => ({ name, value: "" }))
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {},
    spec: { containers: [], hostIPC, hostNetwork, securityContext: { sysctls: named } }
  }
  const refusal = sysctlRefusal(pod, allowed)
  return refusal === undefined ? { admit: true } : { admit: false, ...refusal }
}

const nameOf = ({ metadata }: Pod): string => metadata.name ?? ""

const preemption = (given: Json): Json => {
  const chosen = choosePreempted(given.pod, given.running, given.requirements, gates)
  return Result.isSuccess(chosen) ? { victims: chosen.success.map(nameOf) } : { error: chosen.failure }
}

const unreachable = new ConnectionError({ message: "connection refused" })

/** Returns a pod with its name as UID, because the pods of the vectors have none. */
const withUid = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, uid: nameOf(pod) } })

const predicate = (given: Json): Json => {
  const node: Node = given.node
  const pod = withUid(given.pod)
  const otherPods = given.otherPods.map(withUid)
  const preempted: Array<string> = []
  const fresh: Node | undefined = given.freshNode
  const chain = makeAdmitHandlers({
    nodeName: node.metadata.name ?? "",
    config: kubeletConfig(),
    release: defaultRelease,
    host: makeModelledHost({ name: "n1" }),
    connection: {
      send: cancellable((_request, reply) =>
        reply(fresh === undefined ? Result.fail(unreachable) : Result.succeed(fresh))
      ),
      watch: () => () => {}
    },
    initialNode: () => undefined,
    killPod: (uid, kill) => {
      preempted.push(uid)
      kill.done?.("stopped")
    }
  })
  let refusal: PodRefusal | undefined
  admitPod(
    chain,
    { pod, node, otherPods: () => otherPods },
    (decision) => {
      refusal = decision
    },
    (error) => {
      throw error
    }
  )
  return { admit: refusal === undefined, reason: refusal?.reason ?? "", message: refusal?.message ?? "", preempted }
}

export const kubeletAdmissionAdapters: Adapters = {
  "kubelet/admit-sysctl": ({ given }) => sysctl(given),
  "kubelet/preemption": ({ given }) => preemption(given),
  "kubelet/admit-predicate": ({ given }) => predicate(given)
}
