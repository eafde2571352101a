import type { Pod } from "@rollcall/api"

/** Fields of a pod that reference an API object, and the kind of that object. */
const references: Readonly<Record<string, string>> = {
  imagePullSecrets: "secrets",
  secret: "secrets",
  secretRef: "secrets",
  secretKeyRef: "secrets",
  nodePublishSecretRef: "secrets",
  secretName: "secrets",
  configMap: "configmaps",
  configMapRef: "configmaps",
  configMapKeyRef: "configmaps",
  resourceClaims: "resourceclaims",
  clusterTrustBundle: "clustertrustbundles",
  podCertificate: "podcertificates",
  persistentVolumeClaim: "persistentvolumeclaims",
  ephemeral: "persistentvolumeclaims"
}

/** The order in which upstream checks them. */
const checkOrder = [...new Set(Object.values(references))]

const collectReferences = (value: unknown, found: Set<string>): void => {
  if (typeof value !== "object" || value === null) return
  for (const [field, inner] of Object.entries(value)) {
    const kind = references[field]
    if (kind !== undefined && inner !== null && !(Array.isArray(inner) && inner.length === 0)) found.add(kind)
    collectReferences(inner, found)
  }
}

/**
 * The kind of the first API object that a pod references, if any; a static pod must not reference one.
 * Upstream: pkg/api/pod/util.go HasAPIObjectReference (gate PreventStaticPodAPIReferences).
 */
export const apiReference = ({ spec }: Pod): string | undefined => {
  if (spec.serviceAccountName) return "serviceaccounts"
  const found = new Set<string>()
  const { containers, ephemeralContainers, imagePullSecrets, initContainers, resourceClaims, volumes } = spec
  const environment = [...(containers ?? []), ...(initContainers ?? []), ...(ephemeralContainers ?? [])].map(
    ({ env, envFrom }) => ({ env, envFrom })
  )
  collectReferences(
    { imagePullSecrets: imagePullSecrets ?? [], resourceClaims: resourceClaims ?? [], environment, volumes },
    found
  )
  return checkOrder.find((kind) => found.has(kind))
}
