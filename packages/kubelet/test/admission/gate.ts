import { defaultRelease, type Node, type Pod } from "@rollcall/api"
import { ConnectionError, cancellable } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { admitsAll } from "../../src/admission/PodAdmitHandler.ts"
import {
  type AdmitHandlersOptions,
  kubeletConfig,
  makeAdmitHandlers,
  makeModelledHost,
  type PodKill,
  type PodRefusal
} from "../../src/index.ts"
import { admitPod } from "../../src/rules.ts"

type Requests = Readonly<Record<string, string>>

/** A pod with one container. */
export const podOf = (
  name: string,
  requests: Requests = {},
  more: {
    readonly spec?: Partial<Pod["spec"]>
    readonly metadata?: Pod["metadata"]
    readonly status?: Pod["status"]
  } = {}
): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, uid: name, ...more.metadata },
  spec: { nodeName: "n1", containers: [{ name: "c", resources: { requests } }], ...more.spec },
  status: { phase: "Pending", ...more.status }
})

export const guaranteedPod = (name: string, requests: Requests): Pod =>
  podOf(name, {}, { spec: { containers: [{ name: "c", resources: { requests, limits: requests } }] } })

export const nodeOf = (
  allocatable: Requests = {},
  more: { readonly metadata?: Node["metadata"]; readonly spec?: Node["spec"]; readonly status?: Node["status"] } = {}
): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n1", labels: { "kubernetes.io/os": "linux" }, resourceVersion: "5", ...more.metadata },
  ...(more.spec === undefined ? {} : { spec: more.spec }),
  status: { allocatable: { cpu: "2", memory: "4Gi", pods: "10", ...allocatable }, ...more.status }
})

/** Makes the admission handlers of one node, and records their effects. */
export const makeAdmission = (options: Partial<AdmitHandlersOptions> = {}) => {
  const kills: Array<{ readonly uid: string; readonly kill: PodKill }> = []
  const events: Array<string> = []
  const preemptions: Array<string> = []
  const rejections: Array<string> = []
  const reads: Array<string> = []
  let fresh: Node | undefined
  const chain = makeAdmitHandlers({
    nodeName: "n1",
    config: kubeletConfig(),
    release: defaultRelease,
    host: makeModelledHost({ name: "n1" }),
    connection: {
      send: cancellable((request, reply) => {
        reads.push(`${request.verb} ${request.kind}`)
        reply(fresh === undefined ? Result.fail(new ConnectionError({ message: "cut" })) : Result.succeed(fresh))
      }),
      watch: () => () => {}
    },
    initialNode: () => undefined,
    killPod: (uid, kill) => {
      kills.push({ uid, kill })
    },
    recorder: {
      event: (about, type, reason, message) => {
        events.push(`${"metadata" in about ? about.metadata.name : about.name} ${type} ${reason} ${message}`)
      }
    },
    meter: {
      preempted: (signal) => {
        preemptions.push(signal)
      },
      rejected: (reason) => {
        rejections.push(reason)
      }
    },
    ...options
  })
  return {
    kills,
    events,
    preemptions,
    rejections,
    reads,
    /** Sets what a read of the Node returns from now on; undefined makes reads fail. */
    setFresh: (node: Node | undefined) => {
      fresh = node
    },
    /** Whether the handlers are sure to admit all of these pods to a node without any. */
    admitsAll: (pods: ReadonlyArray<Pod>, node: Node | undefined) => admitsAll(chain, pods, node),
    /** `admitted`, the refusal, or `waiting`; `decision` is asked again later. */
    offer: (pod: Pod, shown: Node | "nothing" = nodeOf(), otherPods: ReadonlyArray<Pod> = []) => {
      let decided: PodRefusal | "admitted" | "waiting" = "waiting"
      const node = shown === "nothing" ? undefined : shown
      const request = { pod, node, otherPods: () => otherPods }
      const decide = (refusal: PodRefusal | undefined) => {
        decided = refusal ?? "admitted"
      }
      admitPod(chain, request, decide, (error) => {
        throw error
      })
      return { decision: () => decided }
    }
  }
}
