import { formatTime, type KubeObject } from "@rollcall/api"
import {
  ApiServer,
  defaultAdmissionPlugins,
  defaultStorageClassAdmission,
  runtimeClassAdmission,
  storageObjectInUse
} from "@rollcall/api-server"
import { type ClusterShape, fromConnection } from "@rollcall/cluster"
import { electingComponents, identities, initialLeases, isElectionLease } from "@rollcall/control-plane"
import { type InvalidInput, invalid } from "@rollcall/input"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LoadedObject } from "../input/objects.ts"
import type { Plan } from "../input/Plan.ts"
import { usesDevices, usesRuntimeClasses } from "../input/usesKinds.ts"
import { completeNode } from "../snapshot/completeNode.ts"
import { completePod } from "../snapshot/completePod.ts"
import { prepareObject } from "../world/actions.ts"
import { type Deletions, makeDeletions } from "../world/Deletions.ts"
import { makeInterner } from "../world/interning.ts"
import { Run, type RunPlan } from "./Run.ts"

const admissionOf = (
  { release, settings: { apiServer }, storage }: Pick<Plan, "release" | "settings" | "storage">,
  hasRuntimeClasses: boolean
) => {
  const { defaultNotReadyTolerationSeconds: notReady, defaultUnreachableTolerationSeconds: unreachable } = apiServer
  return [
    // Before quotas, which count the overhead.
    ...(hasRuntimeClasses ? [runtimeClassAdmission] : []),
    ...defaultAdmissionPlugins({
      release,
      ...(typeof notReady === "number" ? { notReadySeconds: notReady } : {}),
      ...(typeof unreachable === "number" ? { unreachableSeconds: unreachable } : {})
    }),
    ...(storage === undefined ? [] : [defaultStorageClassAdmission, storageObjectInUse])
  ]
}

/** The API server of the plan, on the provided Store. */
export const layerServer = Layer.unwrap(
  Effect.map(Run, ({ given, options: { everyHeartbeat = false }, plan }) => {
    // The controller and the drivers of claims apply their parts of statuses, which needs managedFields.
    const managedFields = usesDevices(given())
    const admission = admissionOf(plan, usesRuntimeClasses(given()))
    return Layer.orDie(ApiServer.layer({ admission, renewalColumns: !everyHeartbeat, managedFields }))
  })
)

/** The causes of pod deletions, from the requests in the API server's audit. */
export class Audit extends Context.Service<Audit, Deletions>()("@rollcall/simulator/Audit") {
  static readonly layer: Layer.Layer<Audit, never, ApiServer> = Layer.effect(
    Audit,
    Effect.map(ApiServer, (server) => {
      const deletions = makeDeletions()
      server.setAudit(deletions.audit, { skipsRenewals: true })
      return deletions
    })
  )
}

/** The administrator's client, without rate limits. */
export class Admin extends Context.Service<Admin, ClusterShape>()("@rollcall/simulator/Admin") {
  static readonly layer: Layer.Layer<Admin, never, ApiServer> = Layer.effect(
    Admin,
    Effect.map(ApiServer, (server) => fromConnection(server.connect(identities.admin)))
  )
}

/** Returns whether a run uses an object: not a StorageClass if the plan has no storage. */
export const isUsedBy =
  ({ storage }: Pick<RunPlan, "storage">) =>
  ({ kind }: LoadedObject): boolean =>
    storage !== undefined || kind !== "StorageClass"

/** Restores the objects of the snapshot, except its leader election Leases: the rehearsal's own processes hold their elections. */
export const layerSnapshot: Layer.Layer<never, InvalidInput, Run | ApiServer> = Layer.effectDiscard(
  Effect.gen(function* () {
    const { given, plan } = yield* Run
    const server = yield* ApiServer
    const isUsed = isUsedBy(plan)
    const intern = makeInterner()
    const now = formatTime(plan.startMs)
    // One object after another: what each step makes of it lives no longer than the next step.
    const objects = function* () {
      for (const loaded of given().snapshot) {
        if (isElectionLease(loaded.object, electingComponents) || !isUsed(loaded)) continue
        yield intern(completePod(completeNode(prepareObject(loaded)), now))
      }
      yield* initialLeases(plan, plan.startMs)
    }
    const pods = ({ kind }: KubeObject) => kind === "Pod"
    yield* server
      .restore(objects(), { hasDefaults: pods })
      .pipe(Effect.mapError((error) => invalid(plan.file, "spec.cluster.snapshot", error.message)))
  })
)
