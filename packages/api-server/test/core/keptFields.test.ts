import { assert, describe, it } from "@effect/vitest"
import type { Lease, PersistentVolume } from "@rollcall/api"
import { fromConnection } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { runWithApiServer } from "../../src/testing/index.ts"

const lease = (metadata: Lease["metadata"]): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { namespace: "default", ...metadata },
  spec: {}
})

describe("what a write keeps of its body", () => {
  it("is a generation that the kind does not count, and of a reference to a Secret its name", () => {
    const seen = runWithApiServer((admin) =>
      Effect.gen(function* () {
        const api = fromConnection(admin)
        const account = yield* api.create("ServiceAccount", {
          apiVersion: "v1",
          kind: "ServiceAccount",
          metadata: { namespace: "default", name: "a" },
          secrets: [{ name: "s", namespace: "elsewhere" }, { namespace: "x" }]
        })
        const volume = yield* api.create("PersistentVolume", {
          apiVersion: "v1",
          kind: "PersistentVolume",
          metadata: { name: "v", generation: 3 },
          spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } }
        })
        const updated = yield* api.update("Lease", {
          ...(yield* api.create("Lease", lease({ name: "l", generation: 7 }))),
          spec: { holderIdentity: "h" }
        })
        return {
          secrets: account.secrets,
          status: volume.status,
          generations: [volume.metadata.generation, updated.metadata.generation]
        }
      })
    )
    assert.deepStrictEqual(seen, {
      secrets: [{ name: "s" }, {}],
      status: { phase: "Pending", lastPhaseTransitionTime: "2026-01-01T00:00:00Z" },
      generations: [3, 7]
    })
  })

  it("is the time of a volume's phase, unless the client says it", () => {
    const times = runWithApiServer((admin) =>
      Effect.gen(function* () {
        const api = fromConnection(admin)
        let volume: PersistentVolume = yield* api.create("PersistentVolume", {
          apiVersion: "v1",
          kind: "PersistentVolume",
          metadata: { name: "v" },
          spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } }
        })
        const seen: Array<string | undefined> = []
        const write = Effect.fnUntraced(function* (status: NonNullable<PersistentVolume["status"]>) {
          yield* Effect.sleep("1 minute")
          volume = yield* api.updateStatus("PersistentVolume", { ...volume, status })
          seen.push(volume.status?.lastPhaseTransitionTime)
        })
        yield* write({ phase: "Available" })
        yield* write({ phase: "Available", message: "m" })
        yield* write({ ...volume.status, phase: "Bound" })
        yield* write({ phase: "Released", lastPhaseTransitionTime: "2021-03-04T05:06:07Z" })
        return seen
      })
    )
    assert.deepStrictEqual(times, [
      "2026-01-01T00:01:00Z",
      "2026-01-01T00:01:00Z",
      "2026-01-01T00:03:00Z",
      "2021-03-04T05:06:07Z"
    ])
  })

  it("is no uid: a PUT of an object that is not there must not name one", () => {
    const message = runWithApiServer((admin) =>
      fromConnection(admin)
        .update("Lease", lease({ name: "l", uid: "u" }))
        .pipe(
          Effect.flip,
          Effect.map((error) => error.message)
        )
    )
    const why = "Precondition failed: UID in precondition: u, UID in object meta: "
    assert.strictEqual(
      message,
      `Operation cannot be fulfilled on leases.coordination.k8s.io "l": StorageError: invalid object, Code: 4, Key: /registry/leases/default/l, ResourceVersion: 0, AdditionalErrorMsg: ${why}`
    )
  })
})
