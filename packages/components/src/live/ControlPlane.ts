import type { ClusterRole, ClusterRoleBinding } from "@rollcall/api"
import type { Authorizer } from "@rollcall/api-server"
import { legacyTokenSigner } from "@rollcall/api-server/security"
import { type ClusterError, type ClusterShape, fromConnection, isAlreadyExists } from "@rollcall/cluster"
import {
  type Component,
  Components,
  cloudManagers,
  identities,
  makeComponent,
  schedulerLayer
} from "@rollcall/control-plane"
import { MachineCloud } from "@rollcall/machines"
import type { Pki } from "@rollcall/pki"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ServerProcess } from "../apiserver/ApiServerProcess.ts"
import { ComponentProbes } from "../apiserver/ComponentProbes.ts"
import { signingAuthority, startedByWallClock } from "../certificates/certificateKeys.ts"
import type { CertificateAuthorities } from "../certificates/controllers.ts"
import { askAuthorizer } from "../certificates/mayCreate.ts"
import { limitedClients } from "../clients/limited.ts"
import { readApiAsAutoscaler } from "../clients/readApi.ts"
import { Host } from "../host/Host.ts"
import { liveControllers } from "../programs/controllerManager.ts"
import { Settings } from "./LiveSettings.ts"

const CLOUD_CONTROLLERS = "cloud-controller-manager"

const withoutCloudControllers = (components: ReadonlyArray<Component>) =>
  components.filter(({ name }) => name !== CLOUD_CONTROLLERS)

const SIGNING_DURATION_MS = 8760 * 3_600_000

/** The cluster's CA signs for all signers of Kubernetes, as kubeadm has it. */
const certificatesOf = (pki: Pki, authorizer: Authorizer, wallClockMs: () => number): CertificateAuthorities => {
  const authority = signingAuthority(pki.authorityPem, startedByWallClock(pki.signRequest, wallClockMs))
  return {
    authorityOf: () => Effect.succeed(authority),
    mayCreate: askAuthorizer(authorizer),
    signingDurationMs: SIGNING_DURATION_MS
  }
}

/** Starts kube-controller-manager and kube-scheduler; cloud-controller-manager, if there is one, is not started yet. */
export const layerComponents = Layer.effect(
  Components,
  Effect.gen(function* () {
    const { controlPlane, release } = yield* Settings
    const { kubeconfigFile, pki, server } = yield* ServerProcess
    const { cloud } = yield* MachineCloud
    const { wallClockMs } = yield* Host
    const plane = { release, settings: controlPlane, planeCloud: cloud }
    const clients = limitedClients(yield* Timers, (name) => server.connect(identities.component(name)))
    const readMetrics = yield* readApiAsAutoscaler(kubeconfigFile)
    const manager = yield* makeComponent("kube-controller-manager", (stop) =>
      liveControllers(plane, clients, {
        rootCA: pki.authorityPem,
        readMetrics,
        signToken: legacyTokenSigner(pki.serviceAccountKey.privateKeyPem),
        ...(server.security === undefined
          ? {}
          : { certificates: certificatesOf(pki, server.security.authorizer, wallClockMs) }),
        // Nodes are not Ready before they have a CIDR: at 20 requests a second, thousands would wait for minutes.
        ...(controlPlane.controllerManager.qps === undefined ? { ipamLimit: { qps: 0, burst: 0 } } : {}),
        onFatal: (message) => Effect.andThen(Effect.logError(message), Effect.asVoid(Effect.forkDetach(stop)))
      })
    )
    const scheduler = yield* makeComponent(
      "kube-scheduler",
      Layer.effectDiscard(Layer.build(schedulerLayer(plane, clients)))
    )
    const components = [manager, scheduler, ...(yield* cloudManagers(plane, clients))]
    const { add } = yield* ComponentProbes
    add(components)
    yield* Effect.acquireRelease(
      Effect.forEach(withoutCloudControllers(components), ({ start }) => start, { discard: true }),
      () => Effect.forEach(components, ({ stop }) => stop, { discard: true })
    )
    return components
  })
)

const CLOUD_ROLE = "system:cloud-controller-manager"

const role: ClusterRole = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: CLOUD_ROLE },
  rules: [
    { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch", "update", "patch", "delete"] },
    { apiGroups: [""], resources: ["nodes/status"], verbs: ["patch"] },
    { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "patch", "update"] }
  ]
}

const binding: ClusterRoleBinding = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: CLOUD_ROLE },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: CLOUD_ROLE },
  subjects: [{ kind: "ServiceAccount", name: CLOUD_CONTROLLERS, namespace: "kube-system" }]
}

/**
 * Grants the rights of the cloud controllers: Kubernetes has no default roles for them, each cloud provides its own.
 */
const allowCloudControllers = (cluster: ClusterShape): Effect.Effect<void, ClusterError> =>
  Effect.all([cluster.create("ClusterRole", role), cluster.create("ClusterRoleBinding", binding)], {
    discard: true
  }).pipe(Effect.catchIf(isAlreadyExists, () => Effect.void))

/**
 * Starts the cloud controllers, after the machines exist: they would take a machine that is not created yet for a
 * deleted one.
 */
export const layerCloudControllers = Layer.effectDiscard(
  Effect.gen(function* () {
    const components = yield* Components
    const cloudComponents = components.filter(({ name }) => name === CLOUD_CONTROLLERS)
    if (cloudComponents.length === 0) return
    const { server } = yield* ServerProcess
    // A member of system:masters: other users cannot grant rights that they do not have.
    yield* allowCloudControllers(fromConnection(server.connect(identities.observer)))
    yield* Effect.forEach(cloudComponents, ({ start }) => start, { discard: true })
  })
)
