import { Controller } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { acceptsObjects, ignoreAlreadyExists, namespacesToSync } from "./everyNamespace.ts"

/** The name under which pods find the CA. */
const ROOT_CA = "kube-root-ca.crt"

const annotations = {
  "kubernetes.io/description":
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters."
}

/**
 * Keeps a ConfigMap in every namespace with the CA that signs the API server's certificate, as PEM. Upstream:
 * pkg/controller/certificates/rootcacertpublisher.
 */
export const layerRootCAPublisher = (rootCA: string) =>
  Controller.make({
    name: "root-ca-certificate-publisher-controller",
    queue: "root_ca_cert_publisher",
    for: "Namespace",
    when: (_, { isDeleted }) => !isDeleted,
    watches: {
      ConfigMap: {
        fieldSelector: `metadata.name=${ROOT_CA}`,
        concerns: (map, { before, isDeleted }) =>
          isDeleted || before !== undefined ? namespacesToSync(map, ROOT_CA) : []
      }
    },
    reconcile:
      ({ cache, cluster }) =>
      (namespace) => {
        const owner = cache("Namespace").get(namespace)
        if (owner === undefined || !acceptsObjects(owner)) return Effect.void
        const found = cache("ConfigMap").find(ROOT_CA, namespace)
        const data = { "ca.crt": rootCA }
        if (found?.data?.["ca.crt"] === rootCA && Object.keys(found.data).length === 1) return Effect.void
        if (found !== undefined) return Effect.asVoid(cluster.update("ConfigMap", { ...found, data }))
        const metadata = { name: ROOT_CA, namespace, annotations }
        return ignoreAlreadyExists(cluster.create("ConfigMap", { apiVersion: "v1", kind: "ConfigMap", metadata, data }))
      }
  })
