import type { CertificateSigningRequest } from "@rollcall/api"
import { CertificateRequestFault, readCertificateRequest } from "@rollcall/pki"
import type { AdmissionAttributes } from "../../core/admission/Admission.ts"

const kubeletSigners = ["kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"]

/**
 * Returns why a kubelet may not request a certificate of a kubelet: it is not for its own node. Upstream:
 * plugin/pkg/admission/noderestriction/admission.go, admitCSR.
 */
export const nodeCertificateRefusal = (
  node: string,
  { object, verb }: Pick<AdmissionAttributes, "object" | "verb">
): string | undefined => {
  const { request, signerName } = (object as CertificateSigningRequest | undefined)?.spec ?? {}
  if (verb !== "create" || signerName === undefined || !kubeletSigners.includes(signerName)) return undefined
  const read = readCertificateRequest(Buffer.from(request ?? "", "base64").toString("latin1"))
  if (read instanceof CertificateRequestFault) return `unable to parse csr: ${read.message}`
  const own = `system:node:${node}`
  return read.commonName === own ? undefined : `can only create a node CSR with CN=${own}`
}
