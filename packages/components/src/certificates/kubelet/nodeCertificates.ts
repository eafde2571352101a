import { createHash, createPublicKey } from "node:crypto"
import { isIP } from "node:net"
import type { NodeAddress } from "@rollcall/api"
import { makeRequest } from "@rollcall/pki"
import type { AskedCertificate } from "./requestCertificate.ts"

const subjectOf = (node: string) => ({ commonName: `system:node:${node}`, organizations: ["system:nodes"] })

const clientUsages = ["digital signature", "client auth"]

/** The client certificate of a kubelet, for a key that is not RSA. */
export const clientCertificateOf = (node: string, keyPem: string): AskedCertificate => ({
  signerName: "kubernetes.io/kube-apiserver-client-kubelet",
  requestPem: makeRequest(keyPem, subjectOf(node)),
  usages: clientUsages
})

/** The serving certificate of a kubelet for its names and addresses. */
export const servingCertificateOf = (node: string, keyPem: string, names: ReadonlyArray<string>): AskedCertificate => ({
  signerName: "kubernetes.io/kubelet-serving",
  requestPem: makeRequest(keyPem, subjectOf(node), names),
  usages: ["digital signature", "server auth"]
})

/**
 * Returns the name of a kubelet's first request, which is the same for the same key. Upstream:
 * pkg/kubelet/certificate/bootstrap/bootstrap.go, digestedName.
 */
export const firstRequestName = (node: string, keyPem: string): string => {
  const hash = createHash("sha512-256")
  const { commonName, organizations } = subjectOf(node)
  const key = createPublicKey(keyPem).export({ type: "spki", format: "der" })
  for (const part of [key, commonName, ...organizations, ...clientUsages]) {
    hash.update(`${Buffer.from(part).toString("base64url")}|`)
  }
  return `node-csr-${hash.digest("base64url")}`
}

const DNS_TYPES = ["Hostname", "InternalDNS", "ExternalDNS"]

/**
 * Returns the names and addresses for a serving certificate, sorted; none if the node has no address yet. Upstream:
 * pkg/kubelet/certificate/kubelet.go, addressesToHostnamesAndIPs.
 */
export const servingNames = (addresses: ReadonlyArray<NodeAddress>): ReadonlyArray<string> => {
  const given = addresses.filter(({ address }) => address !== "")
  const isAddress = ({ address, type }: NodeAddress) =>
    isIP(address) !== 0 && ["Hostname", "InternalIP", "ExternalIP"].includes(type)
  const ips = given.filter(isAddress).map(({ address }) => address)
  if (ips.length === 0) return []
  const names = given
    .filter((entry) => !isAddress(entry) && DNS_TYPES.includes(entry.type))
    .map(({ address }) => address)
  return [...new Set([...names.toSorted(), ...ips.toSorted()])]
}
