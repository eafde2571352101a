import type { RequestNames } from "./CertificateKeys.ts"

export const CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client"
export const KUBELET_CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client-kubelet"
export const KUBELET_SERVING_SIGNER = "kubernetes.io/kubelet-serving"
export const LEGACY_SIGNER = "kubernetes.io/legacy-unknown"

const NODES = "system:nodes"
const NODE_USER = "system:node:"

/** Whether the usages are these, with or without key encipherment, which only RSA keys need. */
const hasUsages = (usages: ReadonlyArray<string>, ...wanted: ReadonlyArray<string>): boolean => {
  const given = new Set(usages)
  given.delete("key encipherment")
  return given.size === wanted.length && wanted.every((usage) => given.has(usage))
}

const isOfNodes = ({ organizations }: RequestNames): boolean => organizations.length === 1 && organizations[0] === NODES

const commonNameFault = ({ commonName }: RequestNames): string | undefined =>
  commonName.startsWith(NODE_USER) ? undefined : `subject common name does not begin with ${NODE_USER}`

/** Returns why a request is not one for a kubelet's client certificate. Upstream: pkg/apis/certificates/helpers.go. */
export const kubeletClientFault = (names: RequestNames, usages: ReadonlyArray<string>): string | undefined => {
  if (!isOfNodes(names)) return `subject organization is not ${NODES}`
  if (names.dnsNames.length > 0) return "DNS subjectAltNames are not allowed"
  if (names.emailAddresses.length > 0) return "Email subjectAltNames are not allowed"
  if (names.ipAddresses.length > 0) return "IP subjectAltNames are not allowed"
  if (names.uris.length > 0) return "URI subjectAltNames are not allowed"
  const fault = commonNameFault(names)
  if (fault !== undefined) return fault
  return hasUsages(usages, "digital signature", "client auth")
    ? undefined
    : "usages did not match [client auth digital signature key encipherment]"
}

/** Returns why a request is not one for a kubelet's serving certificate. Upstream: ValidateKubeletServingCSR. */
export const kubeletServingFault = (names: RequestNames, usages: ReadonlyArray<string>): string | undefined => {
  if (!isOfNodes(names)) return `subject organization is not ${NODES}`
  if (names.dnsNames.length === 0 && names.ipAddresses.length === 0) return "DNS or IP subjectAltName is required"
  if (names.emailAddresses.length > 0) return "Email subjectAltNames are not allowed"
  if (names.uris.length > 0) return "URI subjectAltNames are not allowed"
  if (!hasUsages(usages, "digital signature", "server auth")) {
    return "usages did not match [digital signature key encipherment server auth]"
  }
  return commonNameFault(names)
}

const optionalClientUsages = ["digital signature", "key encipherment"]

/** Upstream: pkg/controller/certificates/signer/signer.go, validAPIServerClientUsages. */
const clientFault = (_: RequestNames, usages: ReadonlyArray<string>): string | undefined => {
  const other = usages.find((usage) => usage !== "client auth" && !optionalClientUsages.includes(usage))
  if (other !== undefined) return `invalid usage for client certificate: ${other}`
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth"
}

/** A signer of Kubernetes: what it refuses, and the names of its controller and of its flags. */
export interface KubernetesSigner {
  readonly signerName: string
  readonly fault: (names: RequestNames, usages: ReadonlyArray<string>) => string | undefined
  readonly controller: string
}

export const kubernetesSigners: ReadonlyArray<KubernetesSigner> = [
  { signerName: KUBELET_SERVING_SIGNER, fault: kubeletServingFault, controller: "csrsigning-kubelet-serving" },
  { signerName: KUBELET_CLIENT_SIGNER, fault: kubeletClientFault, controller: "csrsigning-kubelet-client" },
  { signerName: CLIENT_SIGNER, fault: clientFault, controller: "csrsigning-kube-apiserver-client" },
  { signerName: LEGACY_SIGNER, fault: () => undefined, controller: "csrsigning-legacy-unknown" }
]
