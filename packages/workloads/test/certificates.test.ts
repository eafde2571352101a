import { assert, describe, it } from "@effect/vitest"
import type { CertificateSigningRequest, ConfigMap, Secret } from "@rollcall/api"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { Cluster, type ClusterError, type ClusterShape, fromConnection, isNotFound } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { CertificateKeys, RequestNames } from "../src/certificates/CertificateKeys.ts"
import { kubeletClientFault, kubeletServingFault, kubernetesSigners } from "../src/certificates/requestRules.ts"
import { isPastDeadline } from "../src/certificates/requestState.ts"
import { signingTerms } from "../src/certificates/signingTerms.ts"
import {
  layerBootstrapSigner,
  layerCertificateApproving,
  layerCertificateCleaner,
  layerCertificateSigning,
  layerTokenCleaner
} from "../src/index.ts"

const START = Date.UTC(2026, 0, 1)
const HOUR_MS = 3_600_000
const CLIENT = "kubernetes.io/kube-apiserver-client"
const KUBELET_CLIENT = "kubernetes.io/kube-apiserver-client-kubelet"

const node: RequestNames = {
  commonName: "system:node:n1",
  organizations: ["system:nodes"],
  dnsNames: [],
  emailAddresses: [],
  ipAddresses: [],
  uris: []
}
const client = ["digital signature", "client auth"]
const server = ["digital signature", "server auth"]

describe("the rules of Kubernetes' signers", () => {
  it("accept a kubelet's client certificate for a node alone", () => {
    const faultOf = (names: Partial<RequestNames>, usages = client) => kubeletClientFault({ ...node, ...names }, usages)
    assert.isUndefined(faultOf({}))
    assert.isUndefined(faultOf({}, [...client, "key encipherment", "client auth"]))
    assert.strictEqual(faultOf({ organizations: ["system:nodes", "a"] }), "subject organization is not system:nodes")
    assert.strictEqual(faultOf({ dnsNames: ["a"] }), "DNS subjectAltNames are not allowed")
    assert.strictEqual(faultOf({ emailAddresses: ["a"] }), "Email subjectAltNames are not allowed")
    assert.strictEqual(faultOf({ ipAddresses: ["a"] }), "IP subjectAltNames are not allowed")
    assert.strictEqual(faultOf({ uris: ["a"] }), "URI subjectAltNames are not allowed")
    assert.strictEqual(faultOf({ commonName: "n1" }), "subject common name does not begin with system:node:")
    const usages = "usages did not match [client auth digital signature key encipherment]"
    assert.strictEqual(faultOf({}, ["client auth"]), usages)
    assert.strictEqual(faultOf({}, [...client, "server auth"]), usages)
  })

  it("accept a kubelet's serving certificate with names or addresses", () => {
    const faultOf = (names: Partial<RequestNames>, usages = server) =>
      kubeletServingFault({ ...node, ...names }, usages)
    assert.isUndefined(faultOf({ dnsNames: ["n1"] }))
    assert.isUndefined(faultOf({ ipAddresses: ["10.0.0.1"] }))
    assert.strictEqual(faultOf({}), "DNS or IP subjectAltName is required")
    assert.strictEqual(faultOf({ dnsNames: ["n1"], uris: ["a"] }), "URI subjectAltNames are not allowed")
    const usages = "usages did not match [digital signature key encipherment server auth]"
    assert.strictEqual(faultOf({ dnsNames: ["n1"], commonName: "n1" }, client), usages)
    assert.strictEqual(
      faultOf({ dnsNames: ["n1"], commonName: "n1" }),
      "subject common name does not begin with system:node:"
    )
  })

  it("accept any names for a client, but no other usages", () => {
    const faultOf = (...usages: ReadonlyArray<string>) =>
      kubernetesSigners.find(({ signerName }) => signerName === CLIENT)?.fault(node, usages)
    assert.isUndefined(faultOf("client auth", "key encipherment"))
    assert.strictEqual(faultOf("key encipherment"), "missing required usage for client certificate: client auth")
    assert.strictEqual(faultOf("client auth", "any"), "invalid usage for client certificate: any")
  })

  it("grant what is asked for, at least ten minutes, within the longest time and the authority's own", () => {
    const endOf = (expirationSeconds: number | undefined, authorityEndMs = START + 1e12) =>
      Result.map(
        signingTerms(
          { ...(expirationSeconds === undefined ? {} : { expirationSeconds }) },
          START,
          100 * HOUR_MS,
          authorityEndMs
        ),
        ({ notAfterMs, notBeforeMs }) => [notBeforeMs - START, notAfterMs - START]
      )
    assert.deepStrictEqual(endOf(undefined), Result.succeed([-300_000, 100 * HOUR_MS - 300_000]))
    assert.deepStrictEqual(endOf(60), Result.succeed([-300_000, 600_000]))
    assert.deepStrictEqual(endOf(3600), Result.succeed([-300_000, HOUR_MS]))
    assert.deepStrictEqual(endOf(8 * 3600), Result.succeed([-300_000, 8 * HOUR_MS - 300_000]))
    assert.deepStrictEqual(endOf(400 * 3600), Result.succeed([-300_000, 100 * HOUR_MS - 300_000]))
    assert.deepStrictEqual(endOf(3600, START + 1000), Result.succeed([-300_000, 1000]))
    assert.deepStrictEqual(
      endOf(3600, START),
      Result.fail("refusing to sign a certificate that expired in the past: NotAfter=2026-01-01 00:00:00 +0000 UTC")
    )
    assert.deepStrictEqual(
      endOf(3600, START - HOUR_MS),
      Result.fail("the signer has expired: NotAfter=2025-12-31 23:00:00 +0000 UTC")
    )
  })
})

const requestOf = (
  name: string,
  names: Partial<RequestNames>,
  spec: Partial<CertificateSigningRequest["spec"]> = {}
): CertificateSigningRequest => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name },
  spec: {
    request: Base64.encode(JSON.stringify({ ...node, ...names })),
    signerName: KUBELET_CLIENT,
    usages: client,
    ...spec
  }
})

const condition = (type: string, lastUpdateTime = "2026-01-01T00:00:00Z") => ({
  type,
  status: "True",
  reason: "x",
  lastUpdateTime
})

/** Keys over requests that are JSON in place of PKCS #10. */
const keysWith = (allowed: ReadonlyArray<string>): CertificateKeys => ({
  read: (request) =>
    Result.match(Base64.decodeString(request), {
      onFailure: () => Result.fail("no request"),
      onSuccess: (text) => (text.startsWith("{") ? Result.succeed(JSON.parse(text)) : Result.fail("no request"))
    }),
  endOf: () => undefined,
  authorityOf: () =>
    Effect.succeed({
      notAfterMs: START + 1e12,
      sign: (_, { notAfterMs }) => Result.succeed(Base64.encode(`until ${notAfterMs - START}`))
    }),
  signingDurationMs: 100 * HOUR_MS,
  mayCreate: (_, subresource) => Effect.succeed(allowed.includes(subresource))
})

const withKeys = <A>(
  allowed: ReadonlyArray<string>,
  test: (cluster: ClusterShape) => Effect.Effect<A, ClusterError, Timers>
): A =>
  runWithApiServer(
    (admin) => {
      const keys = keysWith(allowed)
      const controllers = Layer.mergeAll(
        layerCertificateApproving(keys),
        ...kubernetesSigners.map((signer) => layerCertificateSigning(keys, signer)),
        layerCertificateCleaner(keys),
        layerTokenCleaner,
        layerBootstrapSigner((content, id, secret) => `${content}|${id}|${secret}`)
      ).pipe(Layer.provide(Cluster.layerConnection(admin)))
      return test(fromConnection(admin)).pipe(Effect.provide(controllers))
    },
    { seed: "certificates" }
  )

const KIND = "CertificateSigningRequest"
const approve = (cluster: ClusterShape, request: CertificateSigningRequest) =>
  cluster.update(KIND, { ...request, status: { conditions: [condition("Approved")] } }, { subresource: "approval" })
const statusOf = (cluster: ClusterShape, name: string) =>
  Effect.map(cluster.get(KIND, { name }), ({ status }) => [
    status?.conditions?.map(({ reason, type }) => `${type} ${reason}`).join(", ") ?? "",
    status?.certificate
  ])

describe("the certificate controllers", () => {
  it("approve and sign the client certificate that a node's bootstrapper may request", () => {
    const statuses = withKeys(
      ["nodeclient"],
      Effect.fnUntraced(function* (cluster) {
        yield* cluster.create(KIND, requestOf("kubelet", {}, { expirationSeconds: 3600 }))
        yield* cluster.create(KIND, requestOf("person", { organizations: ["devs"] }))
        yield* cluster.create(
          KIND,
          requestOf("serving", { dnsNames: ["n1"] }, { signerName: "kubernetes.io/kubelet-serving", usages: server })
        )
        yield* Effect.sleep("5 seconds")
        return yield* Effect.forEach(["kubelet", "person", "serving"], (name) => statusOf(cluster, name))
      })
    )
    assert.deepStrictEqual(statuses, [
      ["Approved AutoApproved", Base64.encode(`until ${HOUR_MS}`)],
      ["", undefined],
      ["", undefined]
    ])
  })

  it("leave a request to others that its requestor may not have approved", () => {
    const status = withKeys(
      [],
      Effect.fnUntraced(function* (cluster) {
        yield* cluster.create(KIND, requestOf("kubelet", {}))
        yield* Effect.sleep("5 seconds")
        return yield* statusOf(cluster, "kubelet")
      })
    )
    assert.deepStrictEqual(status, ["", undefined])
  })

  it("sign what is approved and not denied, and fail what a signer refuses", () => {
    const statuses = withKeys(
      [],
      Effect.fnUntraced(function* (cluster) {
        const spec = { signerName: CLIENT, usages: ["client auth"] }
        yield* approve(cluster, yield* cluster.create(KIND, requestOf("good", {}, spec)))
        yield* approve(cluster, yield* cluster.create(KIND, requestOf("bad", {}, { ...spec, usages: ["any"] })))
        yield* approve(
          cluster,
          yield* cluster.create(KIND, requestOf("other", {}, { ...spec, signerName: "example.com/x" }))
        )
        const denied = yield* cluster.create(KIND, requestOf("denied", {}, spec))
        yield* cluster.update(
          KIND,
          { ...denied, status: { conditions: [condition("Denied")] } },
          { subresource: "approval" }
        )
        yield* Effect.sleep("5 seconds")
        return yield* Effect.forEach(["good", "bad", "other", "denied"], (name) => statusOf(cluster, name))
      })
    )
    assert.deepStrictEqual(statuses, [
      ["Approved x", Base64.encode(`until ${100 * HOUR_MS - 300_000}`)],
      ["Approved x, Failed SignerValidationFailure", undefined],
      ["Approved x", undefined],
      ["Denied x", undefined]
    ])
  })

  it("delete a request a day after it was made, or an hour after it was handled", () => {
    const ages = withKeys(
      [],
      Effect.fnUntraced(function* (cluster) {
        const spec = { signerName: CLIENT, usages: ["client auth"] }
        yield* cluster.create(KIND, requestOf("pending", {}, spec))
        yield* approve(cluster, yield* cluster.create(KIND, requestOf("issued", {}, spec)))
        const names = Effect.map(cluster.list(KIND), ({ items }) => items.map(({ metadata }) => metadata.name))
        yield* Effect.sleep("119 minutes")
        const early = yield* names
        yield* Effect.sleep("2 hours")
        const later = yield* names
        yield* Effect.sleep("22 hours")
        return [early, later, yield* names]
      })
    )
    assert.deepStrictEqual(ages, [["issued", "pending"], ["pending"], []])
  })

  it("count the hours from the decision, and a certificate's own end", () => {
    const now = START + HOUR_MS + 1000
    const isPast = (status: CertificateSigningRequest["status"], end?: number, at = now) =>
      isPastDeadline({ ...requestOf("r", {}), ...(status && { status }) }, at, () => end)
    assert.isTrue(isPast({ conditions: [condition("Denied")] }))
    assert.isTrue(isPast({ conditions: [condition("Failed")] }))
    assert.isFalse(isPast({ conditions: [condition("Denied", "2026-01-01T00:00:02Z")] }))
    assert.isFalse(isPast({ conditions: [condition("Approved")] }))
    assert.isTrue(isPast({ conditions: [condition("Approved")] }, undefined, START + 24 * HOUR_MS + 1))
    const recent = { conditions: [condition("Approved", "2026-01-01T01:00:00Z")], certificate: "eA==" }
    assert.isFalse(isPast(recent, now + 1))
    assert.isTrue(isPast(recent, now - 1))
  })
})

const token = (id: string, data: Readonly<Record<string, string>>): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: `bootstrap-token-${id}`, namespace: "kube-system" },
  type: "bootstrap.kubernetes.io/token",
  data: Object.fromEntries(
    Object.entries({ "token-id": id, "token-secret": "0123456789abcdef", ...data }).map(([key, text]) => [
      key,
      Base64.encode(text)
    ])
  )
})

const namespace = (name: string) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }) as const

describe("the controllers of bootstrap tokens", () => {
  it("sign the cluster's info by each token that may, until it expires, and delete it then", () => {
    const seen = withKeys(
      [],
      Effect.fnUntraced(function* (cluster) {
        for (const name of ["kube-system", "kube-public"]) {
          yield* Effect.ignore(cluster.create("Namespace", namespace(name)))
        }
        const info: ConfigMap = {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "cluster-info", namespace: "kube-public" },
          data: { kubeconfig: "k", "jws-kubeconfig-old123": "stale", other: "kept" }
        }
        const signs = { "usage-bootstrap-signing": "true" }
        yield* cluster.create("ConfigMap", info)
        yield* cluster.create("Secret", token("abcdef", { ...signs, expiration: "2026-01-01T00:10:00Z" }))
        yield* cluster.create("Secret", token("ghijkl", { "usage-bootstrap-signing": "yes" }))
        yield* cluster.create("Secret", token("mnopqr", { ...signs, "token-id": "others" }))
        yield* cluster.create("Secret", token("expire", { ...signs, expiration: "2025-01-01T00:00:00Z" }))
        const data = Effect.map(
          cluster.get("ConfigMap", { namespace: "kube-public", name: "cluster-info" }),
          (map) => map.data
        )
        const exists = (id: string) =>
          cluster.get("Secret", { namespace: "kube-system", name: `bootstrap-token-${id}` }).pipe(
            Effect.as(true),
            Effect.catchIf(isNotFound, () => Effect.succeed(false))
          )
        yield* Effect.sleep("1 minute")
        const early = [yield* data, yield* exists("abcdef"), yield* exists("expire")]
        yield* Effect.sleep("10 minutes")
        return [early, [yield* data, yield* exists("abcdef"), yield* exists("ghijkl")]]
      })
    )
    assert.deepStrictEqual(seen, [
      [{ kubeconfig: "k", other: "kept", "jws-kubeconfig-abcdef": "k|abcdef|0123456789abcdef" }, true, false],
      [{ kubeconfig: "k", other: "kept" }, false, true]
    ])
  })
})
