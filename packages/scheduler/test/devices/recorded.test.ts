import { readFileSync } from "node:fs"
import type { KindName, ObjectOf, ResourceClaim } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { assert, beforeAll, describe, it } from "vitest"
import { loadDevices } from "../../src/index.ts"
import { podNamed, withScheduler } from "../withScheduler.ts"

/** What kube-scheduler v1.36.2 did for claims over these objects, one pod after the other. */
interface Recording {
  readonly objects: ReadonlyArray<ObjectOf<KindName>>
  readonly cases: ReadonlyArray<{
    readonly name: string
    readonly devices: NonNullable<ResourceClaim["spec"]["devices"]>
    /** The only node that the pod may run on. */
    readonly node?: string
    readonly expected: Pick<NonNullable<ResourceClaim["status"]>, "allocation"> & {
      readonly reason?: string
      readonly message?: string
    }
  }>
}

const recording: Recording = JSON.parse(readFileSync(new URL("../fixtures/devices.json", import.meta.url), "utf8"))

beforeAll(() => Effect.runPromise(Effect.asVoid(loadDevices)))

/** IDs of shares are random, and the time is that of the test. */
const comparable = (allocation: NonNullable<ResourceClaim["status"]>["allocation"]) => {
  if (allocation === undefined) return undefined
  const { allocationTimestamp: _, devices = {}, ...rest } = allocation
  const results = devices.results?.map((result) =>
    result.shareID === undefined ? result : { ...result, shareID: "*" }
  )
  return { ...rest, devices: { ...devices, ...(results === undefined ? {} : { results }) } }
}

describe("claims that kube-scheduler has seen", () => {
  it("get the same devices, or the same message", () => {
    withScheduler(({ addNode, cluster, pod }) =>
      Effect.gen(function* () {
        for (const object of recording.objects) {
          if (object.kind === "Node") yield* addNode(object as ObjectOf<"Node">)
          else yield* cluster.create(object.kind as "ResourceSlice", object as ObjectOf<"ResourceSlice">)
        }
        for (const { devices, expected, name, node } of recording.cases) {
          yield* cluster.create("ResourceClaim", {
            apiVersion: "resource.k8s.io/v1",
            kind: "ResourceClaim",
            metadata: { name, namespace: "default" },
            spec: { devices }
          })
          yield* cluster.create(
            "Pod",
            podNamed(name, "1", {
              resourceClaims: [{ name: "c", resourceClaimName: name }],
              ...(node === undefined ? {} : { nodeSelector: { "kubernetes.io/hostname": node } })
            })
          )
          yield* Effect.sleep("700 millis")
          const { allocation } = (yield* cluster.get("ResourceClaim", { namespace: "default", name })).status ?? {}
          const condition = (yield* pod(name)).status?.conditions?.find(({ type }) => type === "PodScheduled")
          const { allocation: wanted, message, reason } = expected
          assert.deepStrictEqual(comparable(allocation), comparable(wanted), name)
          if (wanted === undefined)
            assert.deepStrictEqual([condition?.reason, condition?.message], [reason, message], name)
        }
      })
    )
  })
})
