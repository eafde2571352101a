import { APIService } from "../objects/APIService.ts"
import { CertificateSigningRequest } from "../objects/CertificateSigningRequest.ts"
import { IPAddress, ServiceCIDR } from "../objects/ServiceCIDR.ts"
import { apiServiceRules } from "../validation/apiService.ts"
import { certificateSigningRequestRules } from "../validation/certificateSigningRequest.ts"
import { ipAddressRules, serviceCIDRRules } from "../validation/serviceRanges.ts"
import { kind } from "./Kind.ts"

/** Upstream: pkg/apis/certificates. A server with cryptography checks what requests contain, too. */
export const certificateSigningRequests = kind<CertificateSigningRequest>(CertificateSigningRequest, {
  scope: "Cluster",
  shortNames: ["csr"],
  validation: certificateSigningRequestRules(),
  fields: { "spec.signerName": ({ spec }) => spec.signerName }
})

const HTTPS = 443

/** Upstream: staging/src/k8s.io/kube-aggregator/pkg/apis/apiregistration. */
export const apiServices = kind<APIService>(APIService, {
  scope: "Cluster",
  categories: ["api-extensions"],
  validation: apiServiceRules,
  defaults: (object) =>
    object.spec?.service === undefined || object.spec.service.port !== undefined
      ? object
      : { ...object, spec: { ...object.spec, service: { ...object.spec.service, port: HTTPS } } }
})

/** Upstream: pkg/apis/networking. */
export const ipAddresses = kind<IPAddress>(IPAddress, {
  scope: "Cluster",
  plural: "ipaddresses",
  shortNames: ["ip"],
  validation: ipAddressRules
})

export const serviceCIDRs = kind<ServiceCIDR>(ServiceCIDR, { scope: "Cluster", validation: serviceCIDRRules })
