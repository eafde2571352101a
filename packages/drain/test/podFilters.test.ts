import { type Pod, parseLabelSelector } from "@rollcall/api"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { drainMessages, type FilterContext, filterPod } from "../src/PodFilters.ts"
import { podsForDeletion } from "../src/podsForDeletion.ts"

const context: FilterContext = { nowMs: Date.UTC(2026, 0, 1, 1), daemonSetError: () => undefined }

const ownedBy = (kind: string, apiVersion = "apps/v1") => ({
  ownerReferences: [{ apiVersion, kind, name: "owner", uid: "u", controller: true }]
})

const podOf = (name: string, metadata: Pod["metadata"], more: Partial<Pod["spec"]> = {}, phase = "Running"): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "ns", ...metadata },
  spec: { containers: [], ...more },
  status: { phase }
})

const OKAY = { delete: true, reason: "Okay", message: "" }
const emptyDir = { name: "d", emptyDir: {} }
const secret = { name: "s", secret: { secretName: "s" } }

describe("a pod without a controller", () => {
  it("is refused, or deleted with a warning with --force", () => {
    assert.deepStrictEqual(filterPod(podOf("a", {}), context), {
      delete: false,
      reason: "Error",
      message: drainMessages.unmanagedFatal
    })
    assert.deepStrictEqual(filterPod(podOf("a", {}), { ...context, force: true }), {
      delete: true,
      reason: "Warning",
      message: drainMessages.unmanagedWarning
    })
  })

  it("is deleted when it has terminated, and refused without a status", () => {
    for (const phase of ["Succeeded", "Failed"])
      assert.deepStrictEqual(filterPod(podOf("a", {}, {}, phase), context), OKAY)
    const { status: _, ...without } = podOf("a", {})
    assert.strictEqual(filterPod(without, context).reason, "Error")
  })
})

describe("a pod with local storage", () => {
  const pod = (volumes: NonNullable<Pod["spec"]["volumes"]>, phase = "Running") =>
    podOf("a", ownedBy("ReplicaSet"), { volumes }, phase)

  it("is one with an emptyDir among its volumes", () => {
    assert.strictEqual(filterPod(pod([secret, emptyDir]), context).message, drainMessages.localStorageFatal)
    assert.deepStrictEqual(filterPod(pod([secret]), context), OKAY)
    assert.deepStrictEqual(filterPod(pod([emptyDir], "Succeeded"), context), OKAY)
  })

  it("is deleted with --delete-emptydir-data", () => {
    // The last filter decides: the warning is lost for a pod with a controller.
    assert.deepStrictEqual(filterPod(pod([emptyDir]), { ...context, deleteEmptydirData: true }), OKAY)
  })
})

describe("a pod of a DaemonSet", () => {
  const pod = podOf("a", ownedBy("DaemonSet"))

  it("is refused, or left on its node", () => {
    assert.strictEqual(filterPod(pod, context).message, drainMessages.daemonSetFatal)
    assert.deepStrictEqual(filterPod(pod, { ...context, ignoreDaemonsets: true }), {
      delete: false,
      reason: "Warning",
      message: drainMessages.daemonSetWarning
    })
  })

  it("is deleted when it has terminated, and when the kind is of another group", () => {
    assert.deepStrictEqual(filterPod(podOf("a", ownedBy("DaemonSet"), {}, "Failed"), context), OKAY)
    for (const other of ["apps.kruise.io/v1alpha1", "apps/v1beta2"]) {
      assert.deepStrictEqual(filterPod(podOf("a", ownedBy("DaemonSet", other)), context), OKAY)
    }
  })

  it("is deleted with --force when the DaemonSet does not exist, never when it cannot be read", () => {
    const asked: Array<string> = []
    const gone = (notFound: boolean, force: boolean): FilterContext => ({
      ...context,
      force,
      daemonSetError: (namespace, name) => {
        asked.push(`${namespace}/${name}`)
        return { notFound, message: "why" }
      }
    })
    assert.deepStrictEqual(filterPod(pod, gone(true, false)), { delete: false, reason: "Error", message: "why" })
    assert.deepStrictEqual(filterPod(pod, gone(false, true)), { delete: false, reason: "Error", message: "why" })
    assert.deepStrictEqual(filterPod(pod, gone(true, true)), OKAY)
    assert.deepStrictEqual([...new Set(asked)], ["ns/owner"])
  })
})

describe("a pod that is terminating", () => {
  const pod = podOf("a", { ...ownedBy("ReplicaSet"), deletionTimestamp: "2026-01-01T00:59:00Z" })

  it("is not waited for after the given time", () => {
    const verdict = (skipWaitForDeleteTimeoutSeconds: number) =>
      filterPod(pod, { ...context, skipWaitForDeleteTimeoutSeconds }).reason
    assert.deepStrictEqual([0, 59, 60, 61].map(verdict), ["Okay", "Skip", "Okay", "Okay"])
  })
})

describe("the pods of a node", () => {
  it("are grouped by message, and only the selected ones", () => {
    const pods = [
      podOf("a", { labels: { app: "web" } }),
      podOf("b", { labels: { app: "web" } }),
      podOf("c", { labels: { app: "db" } }),
      podOf("d", { ...ownedBy("DaemonSet"), labels: { app: "web" } }),
      podOf("e", { ...ownedBy("ReplicaSet"), labels: { app: "web" } })
    ]
    const judged = podsForDeletion(pods, { ...context, ignoreDaemonsets: true })
    assert.deepStrictEqual(judged.errors, [`cannot delete ${drainMessages.unmanagedFatal}: ns/a, ns/b, ns/c`])
    assert.deepStrictEqual(judged.warnings, [`${drainMessages.daemonSetWarning}: ns/d`])
    assert.deepStrictEqual(
      judged.evict.map(({ metadata }) => metadata.name),
      ["e"]
    )
    assert.strictEqual(judged.pods.length, 5)
    const podSelector = Result.getOrThrow(parseLabelSelector("app=db"))
    const selected = podsForDeletion(pods, { ...context, podSelector })
    assert.deepStrictEqual(
      selected.pods.map(({ pod }) => pod.metadata.name),
      ["c"]
    )
  })

  it("have a message even where a verdict has none", () => {
    const { errors } = podsForDeletion([podOf("a", ownedBy("DaemonSet"))], {
      ...context,
      daemonSetError: () => ({ notFound: false, message: "" })
    })
    assert.deepStrictEqual(errors, ["cannot delete unexpected error: ns/a"])
  })
})
