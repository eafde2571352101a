import { createHash } from "node:crypto"
import { formatMicroTime, type Lease, parseTime } from "@rollcall/api"
import { type ClusterShape, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { keepObject } from "./keepObject.ts"

const NAMESPACE = "kube-system"
const IDENTITY_LABEL = "apiserver.kubernetes.io/identity"
const IDENTITY = "kube-apiserver"

/** Upstream: pkg/controlplane/instance.go IdentityLeaseDurationSeconds. */
const LEASE_SECONDS = 3600

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567"

/** Encodes bytes in lower-case base 32 without padding. */
const base32 = (bytes: Uint8Array): string => {
  let bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("")
  bits = bits.padEnd(Math.ceil(bits.length / 5) * 5, "0")
  return (bits.match(/.{5}/g) ?? []).map((digit) => BASE32[Number.parseInt(digit, 2)]).join("")
}

/** A server, as its identity Lease names it. */
export interface ServerIdentity {
  readonly hostname: string
  /** Differs at each start. */
  readonly id: string
  /** Where other servers would reach it: `192.0.2.2:6443`. Empty if it has no address but loopback. */
  readonly peerAddress: string
}

/** A text after its length in two bytes. */
const lengthPrefixed = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  return Buffer.concat([Uint8Array.of(bytes.length >> 8, bytes.length & 0xff), bytes])
}

/**
 * The name of the Lease: of the host, so that a server that starts again takes over its own.
 * Upstream: apiserver/pkg/server/config.go.
 */
export const identityName = (hostname: string): string => {
  const hash = createHash("sha256").update(Buffer.concat([lengthPrefixed(hostname), lengthPrefixed(IDENTITY)]))
  return `apiserver-${base32(hash.digest().subarray(0, 16))}`
}

/** Returns the identity Lease of a server. Upstream: pkg/controlplane/apiserver/server.go. */
export const identityLease = ({ hostname, id, peerAddress }: ServerIdentity, now: number): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: {
    name: identityName(hostname),
    namespace: NAMESPACE,
    labels: { [IDENTITY_LABEL]: IDENTITY, "kubernetes.io/hostname": hostname },
    ...(peerAddress === "" ? {} : { annotations: { "kubernetes.io/peer-advertise-address": peerAddress } })
  },
  spec: {
    holderIdentity: `${identityName(hostname)}_${id}`,
    leaseDurationSeconds: LEASE_SECONDS,
    renewTime: formatMicroTime(now)
  }
})

/** Renews the identity Lease of a server, or takes over that of an earlier start. */
export const renewIdentity = (cluster: ClusterShape, identity: ServerIdentity, now: number) => {
  const lease = identityLease(identity, now)
  return keepObject(cluster, "Lease", lease, (stored) => ({
    ...stored,
    metadata: {
      ...stored.metadata,
      labels: { ...stored.metadata.labels, ...lease.metadata.labels },
      annotations: { ...stored.metadata.annotations, ...lease.metadata.annotations }
    },
    spec: { ...stored.spec, ...lease.spec }
  }))
}

const isExpired = ({ spec }: Lease, now: number): boolean =>
  spec?.renewTime === undefined ||
  spec.leaseDurationSeconds === undefined ||
  parseTime(spec.renewTime) + spec.leaseDurationSeconds * 1000 < now

/** Deletes the identity Leases of servers that are gone. Upstream: pkg/controlplane/controller/apiserverleasegc. */
export const deleteExpiredIdentities = Effect.fnUntraced(function* (cluster: ClusterShape, now: number) {
  const { items } = yield* cluster.list("Lease", {
    namespace: NAMESPACE,
    labelSelector: `${IDENTITY_LABEL}=${IDENTITY}`
  })
  for (const lease of items.filter((each) => isExpired(each, now))) {
    const { name = "" } = lease.metadata
    yield* cluster.delete("Lease", { namespace: NAMESPACE, name }).pipe(Effect.catchIf(isNotFound, () => Effect.void))
  }
})
