import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { CertificateSigningRequest } from "@rollcall/api"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { Cluster, fromConnection } from "@rollcall/cluster"
import { openCertificateStore, openPki } from "@rollcall/pki"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { signingAuthority } from "../src/certificates/certificateKeys.ts"
import { certificateControllers } from "../src/certificates/controllers.ts"
import { firstRequestName, servingNames } from "../src/certificates/kubelet/nodeCertificates.ts"
import { issuedCertificate } from "../src/certificates/kubelet/requestCertificate.ts"
import { keepCertificate, rotatedClient, rotatedServing, rotationTime } from "../src/certificates/kubelet/rotation.ts"

const START = Date.UTC(2026, 0, 1)
const HOUR_MS = 3_600_000

const withFolder = <A>(use: (folder: string) => A): A => {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-kubelet-"))
  try {
    return use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe("a kubelet's certificates", () => {
  it("are for the names and addresses of a node that has an address", () => {
    const hostname = { type: "Hostname", address: "n1" } as const
    assert.deepStrictEqual(servingNames([hostname, { type: "InternalDNS", address: "n1.local" }]), [])
    const addresses = [
      { type: "ExternalIP", address: "192.0.2.1" },
      { type: "InternalIP", address: "10.0.0.1" },
      { type: "Hostname", address: "10.0.0.1" },
      { type: "ExternalDNS", address: "n1.example" },
      { type: "InternalIP", address: "" },
      hostname
    ] as const
    assert.deepStrictEqual(servingNames(addresses), ["n1", "n1.example", "10.0.0.1", "192.0.2.1"])
  })

  it("have a first request that is named by its key", () => {
    const key = [
      "-----BEGIN PRIVATE KEY-----",
      "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgVExJ9AA+/z9cSeH+",
      "0DDRJmfn01QGVwEFO7YjnGNnsu6hRANCAASIyapeWovM/wgsjEy/+fY/0AP5grwM",
      "6jn/gxpml/+3IzdeonjzOiAhtwaCCAHnYqvv7Laau0dT9QsyjLdFUMIa",
      "-----END PRIVATE KEY-----"
    ].join("\n")
    assert.strictEqual(firstRequestName("n1", key), "node-csr-TFZ8XIa9ST6A_NE8RDkhpOnC0rU_CpzwHVqIj64G6sc")
    assert.notStrictEqual(firstRequestName("n2", key), firstRequestName("n1", key))
  })

  it("are renewed between 70 and 90 percent of their life", () => {
    const life = { notBeforeMs: 1000, notAfterMs: 2000 }
    assert.deepStrictEqual([rotationTime(life, 0), rotationTime(life, 0.5)].map(Math.round), [1700, 1800])
  })

  it("are waited for until they are issued, denied or failed", () => {
    const outcome = (status: CertificateSigningRequest["status"]) =>
      Effect.runSync(
        Effect.result(
          issuedCertificate({
            apiVersion: "certificates.k8s.io/v1",
            kind: "CertificateSigningRequest",
            metadata: {},
            spec: { request: "", signerName: "x/y" },
            ...(status && { status })
          })
        )
      ).pipe(Result.mapError(({ message }) => message))
    const condition = (type: string) => ({ type, status: "True", reason: "R", message: "m" })
    assert.deepStrictEqual(outcome({ certificate: "eA==" }), Result.succeed(undefined))
    assert.deepStrictEqual(outcome({ conditions: [condition("Approved")] }), Result.succeed(undefined))
    assert.deepStrictEqual(outcome({ conditions: [condition("Approved")], certificate: "eA==" }), Result.succeed("x"))
    const denied = "certificate signing request is denied, reason: R, message: m"
    assert.deepStrictEqual(outcome({ conditions: [condition("Approved"), condition("Denied")] }), Result.fail(denied))
    const failed = "certificate signing request failed, reason: R, message: m"
    assert.deepStrictEqual(outcome({ conditions: [condition("Failed")] }), Result.fail(failed))
  })

  it("are requested, renewed before they end, and requested again for other addresses", () =>
    withFolder((folder) => {
      const pki = Effect.runSync(openPki({ folder: join(folder, "pki"), nowMs: START }))
      const authority = signingAuthority(pki.authorityPem, pki.signRequest)
      const authorities = {
        authorityOf: () => Effect.succeed(authority),
        mayCreate: () => Effect.succeed(true),
        signingDurationMs: 10 * HOUR_MS
      }
      const seen = runWithApiServer(
        (admin) => {
          const cluster = fromConnection(admin)
          const client = () => Cluster.layerConnection(admin)
          const clientStore = openCertificateStore(join(folder, "k"), "kubelet-client")
          const servingStore = openCertificateStore(join(folder, "k"), "kubelet-server")
          const requests = Effect.map(cluster.list("CertificateSigningRequest"), ({ items }) => items)
          const count = (signer: string) =>
            Effect.map(requests, (items) => items.filter(({ spec }) => spec.signerName.endsWith(signer)).length)
          const approveAll = Effect.flatMap(requests, (items) =>
            Effect.forEach(
              items.filter(({ status }) => (status?.conditions ?? []).length === 0),
              (request) =>
                cluster.update(
                  "CertificateSigningRequest",
                  { ...request, status: { conditions: [{ type: "Approved", status: "True", reason: "R" }] } },
                  { subresource: "approval" }
                )
            )
          )
          const addresses = (address: string) => ({
            apiVersion: "v1" as const,
            kind: "Node" as const,
            metadata: { name: "n1" },
            status: { addresses: [{ type: "InternalIP" as const, address }] }
          })
          return Effect.gen(function* () {
            yield* Effect.forkScoped(keepCertificate(cluster, rotatedClient("n1", clientStore)))
            yield* Effect.forkScoped(keepCertificate(cluster, rotatedServing(cluster, "n1", servingStore)))
            yield* Effect.sleep("1 minute")
            const first = [yield* count("-kubelet"), yield* count("serving"), (yield* clientStore.current)?.notAfterMs]
            yield* cluster.create("Node", addresses("10.0.0.1"))
            yield* Effect.sleep("2 seconds")
            const soon = yield* count("serving")
            yield* Effect.sleep("58 seconds")
            yield* approveAll
            yield* Effect.sleep("1 minute")
            const second = [yield* count("serving"), (yield* servingStore.current)?.names]
            const node = yield* cluster.get("Node", { name: "n1" })
            yield* cluster.updateStatus("Node", { ...node, ...addresses("10.0.0.2"), metadata: node.metadata })
            yield* Effect.sleep("1 minute")
            yield* approveAll
            yield* Effect.sleep("1 minute")
            const third = [(yield* servingStore.current)?.names]
            const before = (yield* clientStore.current)?.notAfterMs ?? 0
            yield* Effect.sleep("6 hours")
            const early = (yield* clientStore.current)?.notAfterMs
            yield* Effect.sleep("3 hours")
            const after = (yield* clientStore.current)?.notAfterMs ?? 0
            return [first, soon, second, third, early === before, after > before]
          }).pipe(Effect.scoped, Effect.provide(certificateControllers(authorities, client, () => true)))
        },
        { seed: "kubelet" }
      )
      const end = START + 10 * HOUR_MS - 300_000
      assert.deepStrictEqual(seen, [[1, 0, end], 1, [1, ["10.0.0.1"]], [["10.0.0.2"]], true, true])
      assert.isTrue(readdirSync(join(folder, "k")).includes("kubelet-client-2026-01-01-00-00-00.pem"))
    }))
})
