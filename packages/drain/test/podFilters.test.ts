import { type Pod, parseLabelSelector } from "@rollcall/api"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { drainMessages, type FilterContext, judgePod } from "../src/PodFilters.ts"
import { podsForDeletion } from "../src/podsForDeletion.ts"

const context: FilterContext = { nowMs: Date.UTC(2026, 0, 1, 1), daemonSetError: () => undefined }

const owned = (kind: string, apiVersion = "apps/v1") => ({
  ownerReferences: [{ apiVersion, kind, name: "owner", uid: "u", controller: true }]
})

const podOf = (name: string, metadata: Pod["metadata"], more: Partial<Pod["spec"]> = {}, phase = "Running"): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "ns", ...metadata },
  spec: { containers: [], ...more },
  status: { phase }
})

const okay = { delete: true, reason: "Okay", message: "" }
const emptyDir = { name: "d", emptyDir: {} }
const secret = { name: "s", secret: { secretName: "s" } }

describe("a pod without a controller", () => {
  it("is refused, or goes with a warning by force", () => {
    assert.deepStrictEqual(judgePod(podOf("a", {}), context), {
      delete: false,
      reason: "Error",
      message: drainMessages.unmanagedFatal
    })
    assert.deepStrictEqual(judgePod(podOf("a", {}), { ...context, force: true }), {
      delete: true,
      reason: "Warning",
      message: drainMessages.unmanagedWarning
    })
  })

  it("goes when it is over, or knows no status and is refused", () => {
    for (const phase of ["Succeeded", "Failed"])
      assert.deepStrictEqual(judgePod(podOf("a", {}, {}, phase), context), okay)
    const { status: _, ...without } = podOf("a", {})
    assert.strictEqual(judgePod(without, context).reason, "Error")
  })
})

describe("a pod with local storage", () => {
  const pod = (volumes: NonNullable<Pod["spec"]["volumes"]>, phase = "Running") =>
    podOf("a", owned("ReplicaSet"), { volumes }, phase)

  it("is one with an emptyDir among its volumes", () => {
    assert.strictEqual(judgePod(pod([secret, emptyDir]), context).message, drainMessages.localStorageFatal)
    assert.deepStrictEqual(judgePod(pod([secret]), context), okay)
    assert.deepStrictEqual(judgePod(pod([emptyDir], "Succeeded"), context), okay)
  })

  it("goes where its data may", () => {
    // The last filter has the say: the warning is lost where a controller is.
    assert.deepStrictEqual(judgePod(pod([emptyDir]), { ...context, deleteEmptydirData: true }), okay)
  })
})

describe("a pod of a DaemonSet", () => {
  const pod = podOf("a", owned("DaemonSet"))

  it("is refused, or left where it is", () => {
    assert.strictEqual(judgePod(pod, context).message, drainMessages.daemonSetFatal)
    assert.deepStrictEqual(judgePod(pod, { ...context, ignoreDaemonsets: true }), {
      delete: false,
      reason: "Warning",
      message: drainMessages.daemonSetWarning
    })
  })

  it("goes when it is over, and when the kind is another group's", () => {
    assert.deepStrictEqual(judgePod(podOf("a", owned("DaemonSet"), {}, "Failed"), context), okay)
    for (const other of ["apps.kruise.io/v1alpha1", "apps/v1beta2"]) {
      assert.deepStrictEqual(judgePod(podOf("a", owned("DaemonSet", other)), context), okay)
    }
  })

  it("whose set is gone goes by force; of one that cannot be read nothing goes", () => {
    const asked: Array<string> = []
    const gone = (notFound: boolean, force: boolean): FilterContext => ({
      ...context,
      force,
      daemonSetError: (namespace, name) => {
        asked.push(`${namespace}/${name}`)
        return { notFound, message: "why" }
      }
    })
    assert.deepStrictEqual(judgePod(pod, gone(true, false)), { delete: false, reason: "Error", message: "why" })
    assert.deepStrictEqual(judgePod(pod, gone(false, true)), { delete: false, reason: "Error", message: "why" })
    assert.deepStrictEqual(judgePod(pod, gone(true, true)), okay)
    assert.deepStrictEqual([...new Set(asked)], ["ns/owner"])
  })
})

describe("a pod that is terminating", () => {
  const pod = podOf("a", { ...owned("ReplicaSet"), deletionTimestamp: "2026-01-01T00:59:00Z" })

  it("is not waited for once it has been for longer than is asked", () => {
    const verdict = (skipWaitForDeleteTimeoutSeconds: number) =>
      judgePod(pod, { ...context, skipWaitForDeleteTimeoutSeconds }).reason
    assert.deepStrictEqual([0, 59, 60, 61].map(verdict), ["Okay", "Skip", "Okay", "Okay"])
  })
})

describe("the pods of a node", () => {
  it("are told by message, and only those that are selected", () => {
    const pods = [
      podOf("a", { labels: { app: "web" } }),
      podOf("b", { labels: { app: "web" } }),
      podOf("c", { labels: { app: "db" } }),
      podOf("d", { ...owned("DaemonSet"), labels: { app: "web" } }),
      podOf("e", { ...owned("ReplicaSet"), labels: { app: "web" } })
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

  it("say something even where a verdict does not", () => {
    const { errors } = podsForDeletion([podOf("a", owned("DaemonSet"))], {
      ...context,
      daemonSetError: () => ({ notFound: false, message: "" })
    })
    assert.deepStrictEqual(errors, ["cannot delete unexpected error: ns/a"])
  })
})
