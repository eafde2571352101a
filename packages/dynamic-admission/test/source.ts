import type { KubeObject, Namespace } from "@rollcall/api"
import type { AdmissionSource } from "../src/index.ts"
import { kindsWith } from "../src/objects.ts"

const namespace: Namespace = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "default", labels: { tier: "shop" } }
}

/** A server with a namespace and these objects, that authorizes everything. */
export const sourceWith = (...objects: ReadonlyArray<KubeObject>): AdmissionSource => ({
  registry: kindsWith([namespace, ...objects]),
  timers: { now: () => 0 },
  authorizer: undefined,
  makeId: () => "id",
  metrics: undefined
})

export const user = { user: "alice", groups: ["system:authenticated"] }

export const configMap = (data: Readonly<Record<string, string>>, labels?: Readonly<Record<string, string>>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "default", ...(labels && { labels }) },
  data
})

export const rules = [
  { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }
] as const
