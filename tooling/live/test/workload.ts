import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Deployment } from "@rollcall/api"

/** Returns a Deployment of `replicas` pods that end quickly. */
export const deployment = (
  name: string,
  replicas: number,
  nodeSelector: Readonly<Record<string, string>> = {}
): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        nodeSelector,
        terminationGracePeriodSeconds: 1,
        containers: [{ name: "c", image: "registry.k8s.io/pause:3.10" }]
      }
    }
  }
})

/** Returns a StatefulSet whose pods have one disk each and end quickly. */
export const statefulSet = (name: string, replicas: number, nodeSelector: Readonly<Record<string, string>> = {}) => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name, namespace: "default" },
  spec: {
    replicas,
    serviceName: name,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        nodeSelector,
        terminationGracePeriodSeconds: 1,
        containers: [{ name: "c", image: "registry.k8s.io/pause:3.10" }]
      }
    },
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
      }
    ]
  }
})

export const daemonSet = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name, namespace: "default" },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "c", image: "registry.k8s.io/pause:3.10" }] }
    }
  }
})

export const budget = (name: string, minAvailable: number) => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name, namespace: "default" },
  spec: { minAvailable, selector: { matchLabels: { app: name } } }
})

/** Writes these objects to a file in a new folder; returns its path. */
export const manifest = (...items: ReadonlyArray<object>): string => {
  const file = join(mkdtempSync(join(tmpdir(), "rollcall-live-")), "objects.json")
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }))
  return file
}
