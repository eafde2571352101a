import type { ClusterRole, ClusterRoleBinding, Release } from "@rollcall/api"
import { type ClusterError, type ClusterShape, isAlreadyExists } from "@rollcall/cluster"
import type { PlaneCloud } from "@rollcall/control-plane"
import { type Machine, type MachineOptions, makeFleetCloud, type PlannedCloud } from "@rollcall/machines"
import type { ModelledCloud } from "@rollcall/node-controller"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"

export interface LiveCloud {
  readonly plane: PlaneCloud
  /** What kubelets of old ask. */
  readonly askCloud?: MachineOptions["askCloud"]
  /** The same cloud, once its machines are known. */
  readonly of: (machines: ReadonlyMap<string, Machine>) => ModelledCloud
}

/** The cloud of a live fleet: it exists before its machines do. */
export const liveCloud = (
  plan: PlannedCloud,
  seed: number,
  timers: TimersShape,
  { cloudControllers }: Release
): LiveCloud => {
  const askedByKubelets = cloudControllers === "nodeController"
  let known: ReadonlyMap<string, Machine> = new Map()
  const cloud = makeFleetCloud({
    plan,
    seed,
    timers,
    machines: () => known.values(),
    machineOf: (name) => known.get(name),
    nodeOf: () => undefined,
    askedByKubelets
  })
  return {
    plane: cloud,
    ...(askedByKubelets ? { askCloud: cloud.answerTo } : {}),
    of: (machines) => {
      known = machines
      return cloud.modelled
    }
  }
}

const NAME = "system:cloud-controller-manager"

const role: ClusterRole = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: NAME },
  rules: [
    { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch", "update", "patch", "delete"] },
    { apiGroups: [""], resources: ["nodes/status"], verbs: ["patch"] },
    { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "patch", "update"] }
  ]
}

const binding: ClusterRoleBinding = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: NAME },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: NAME },
  subjects: [{ kind: "ServiceAccount", name: "cloud-controller-manager", namespace: "kube-system" }]
}

/** Lets the controllers of a cloud do their work: Kubernetes itself comes without these rights, each cloud brings its own. */
export const allowCloudControllers = (cluster: ClusterShape): Effect.Effect<void, ClusterError> =>
  Effect.all([cluster.create("ClusterRole", role), cluster.create("ClusterRoleBinding", binding)], {
    discard: true
  }).pipe(Effect.catchIf(isAlreadyExists, () => Effect.void))
