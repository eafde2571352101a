import { assert, describe, it } from "@effect/vitest"
import { type Deployment, isPodReady, type ReplicaSet } from "@rollcall/api"
import { ApiError, cancellable } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { setsBeyondHistory, withDeploymentFields } from "../src/deployment/newReplicaSet.ts"
import { deploymentStatus } from "../src/rules.ts"
import { deploymentOf, replicaSetOf, START, template, type WorkloadsSetup, withControllers } from "./withControllers.ts"

const webKey = { namespace: "default", name: "web" }
const REVISION = "deployment.kubernetes.io/revision"
const REVISION_HISTORY = "deployment.kubernetes.io/revision-history"

/** A set with a revision and, if given, its earlier ones. */
const revised = (known: string, past?: string): ReplicaSet => ({
  ...replicaSetOf(1),
  metadata: {
    ...webKey,
    annotations: { [REVISION]: known, ...(past === undefined ? {} : { [REVISION_HISTORY]: past }) }
  }
})

const makePodsReady = (setup: WorkloadsSetup) =>
  Effect.gen(function* () {
    yield* Effect.sleep("1 second")
    for (const pod of yield* setup.activePods) if (!isPodReady(pod)) yield* setup.makeReady(pod)
    yield* Effect.sleep("1 second")
  })

const setsOf = ({ cluster }: WorkloadsSetup) => Effect.map(cluster.list("ReplicaSet"), ({ items }) => items)
const progressing = ({ cluster }: WorkloadsSetup) =>
  Effect.map(cluster.get("Deployment", webKey), ({ status }) =>
    status?.conditions?.find(({ type }) => type === "Progressing")
  )

describe("sets of a Deployment", () => {
  it("are adopted by the next deployment of that name when they were left as orphans", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Deployment", deploymentOf(2))
        yield* makePodsReady(setup)
        const [before] = yield* setsOf(setup)
        yield* setup.cluster.delete("Deployment", webKey)
        const key = { namespace: "default", name: before?.metadata.name ?? "" }
        yield* setup.cluster.patch("ReplicaSet", key, "merge", { metadata: { ownerReferences: null } })
        yield* setup.cluster.create("Deployment", deploymentOf(2, { progressDeadlineSeconds: 600 }))
        yield* Effect.sleep("1 second")
        const [after, ...others] = yield* setsOf(setup)
        assert.isEmpty(others)
        assert.strictEqual(after?.metadata.uid, before?.metadata.uid)
        assert.strictEqual(after?.metadata.ownerReferences?.[0]?.kind, "Deployment")
        assert.deepInclude(yield* progressing(setup), { reason: "NewReplicaSetAvailable", status: "True" })
      })
    ))

  it("are released when they are no longer selected", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Deployment", deploymentOf(1))
        yield* makePodsReady(setup)
        const [set] = yield* setsOf(setup)
        const key = { namespace: "default", name: set?.metadata.name ?? "" }
        yield* setup.cluster.patch("ReplicaSet", key, "merge", { metadata: { labels: { app: "other" } } })
        yield* Effect.sleep("1 second")
        assert.isEmpty((yield* setup.cluster.get("ReplicaSet", key)).metadata.ownerReferences ?? [])
      })
    ))

  it("follow minReadySeconds and annotations of their deployment", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Deployment", deploymentOf(1))
        yield* makePodsReady(setup)
        yield* setup.cluster.patch("Deployment", webKey, "merge", {
          metadata: { annotations: { team: "a", "kubectl.kubernetes.io/last-applied-configuration": "{}" } },
          spec: { minReadySeconds: 30 }
        })
        yield* Effect.sleep("1 second")
        const [set] = yield* setsOf(setup)
        assert.strictEqual(set?.spec.minReadySeconds, 30)
        assert.strictEqual(set?.metadata.annotations?.team, "a")
        assert.notProperty(set?.metadata.annotations, "kubectl.kubernetes.io/last-applied-configuration")
      })
    ))

  it("remember the revisions that they were before", () => {
    const raised = withDeploymentFields(deploymentOf(1), revised("1"), [revised("4")])
    assert.deepStrictEqual(raised.metadata.annotations, { [REVISION]: "5", [REVISION_HISTORY]: "1" })
    const again = withDeploymentFields(deploymentOf(1), revised("5", "1"), [revised("6")])
    assert.deepStrictEqual(again.metadata.annotations, { [REVISION]: "7", [REVISION_HISTORY]: "1,5" })
    assert.strictEqual(withDeploymentFields(deploymentOf(1), again, [revised("6")]), again, "nothing to do")
  })

  it("count revisions as 64-bit integers", () => {
    const raised = withDeploymentFields(deploymentOf(1), revised("1"), [revised("3546343826724305832"), revised("x")])
    assert.strictEqual(raised.metadata.annotations?.[REVISION], "3546343826724305833")
    const beyond = withDeploymentFields(deploymentOf(1), revised("1"), [revised("9223372036854775808"), revised("4")])
    assert.strictEqual(beyond.metadata.annotations?.[REVISION], "5")
  })

  it("keep a revision that is no number", () => {
    const annotated = { ...deploymentOf(1), metadata: { ...webKey, annotations: { team: "a" } } }
    const odd = revised("first")
    assert.strictEqual(withDeploymentFields(annotated, odd, [revised("4")]), odd)
    const later = { ...annotated, spec: { ...annotated.spec, minReadySeconds: 5 } }
    assert.deepStrictEqual(withDeploymentFields(later, odd, [revised("4")]).metadata.annotations, {
      [REVISION]: "first",
      team: "a"
    })
  })

  it("are cleaned up by revision, and by age where that does not decide", () => {
    const set = (name: string, revision: string, second: number): ReplicaSet => ({
      ...revised(revision),
      metadata: {
        ...revised(revision).metadata,
        name,
        creationTimestamp: `2026-01-01T00:00:0${second}Z`
      },
      spec: { ...replicaSetOf(0).spec, replicas: 0 }
    })
    const sets = [
      set("d", "9223372036854775807", 1),
      set("c", "9223372036854775806", 2),
      set("b", "2", 4),
      set("a", "2", 3)
    ]
    const order = setsBeyondHistory(deploymentOf(1, { revisionHistoryLimit: 0 }), sets)
    assert.deepStrictEqual(
      order.map(({ metadata }) => metadata.name),
      ["a", "b", "c", "d"]
    )
  })

  it("are not forgotten while a rollout is under way", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const { cluster } = setup
        yield* cluster.create("Deployment", deploymentOf(2, { revisionHistoryLimit: 0 }))
        yield* makePodsReady(setup)
        for (const image of ["img:2", "img:3"]) {
          yield* cluster.patch("Deployment", webKey, "merge", { spec: { template: template(image) } })
          yield* Effect.sleep("1 second")
        }
        assert.strictEqual((yield* setsOf(setup)).length, 3, "the set between is empty, but the rollout is not over")
        for (let round = 0; round < 5; round++) yield* makePodsReady(setup)
        assert.strictEqual((yield* setsOf(setup)).length, 1)
      })
    ))
})

describe("what a Deployment says", () => {
  it("when its new set cannot be made", () =>
    withControllers(
      (setup) =>
        Effect.gen(function* () {
          yield* setup.cluster.create("Deployment", deploymentOf(1, { progressDeadlineSeconds: 600 }))
          yield* Effect.sleep("1 second")
          const condition = yield* progressing(setup)
          assert.deepInclude(condition, { status: "False", reason: "ReplicaSetCreateError" })
          assert.match(condition?.message ?? "", /^Failed to create new replica set "web-\w+": /)
          const told = (yield* setup.events).find(({ reason }) => reason === "ReplicaSetCreateError")
          assert.strictEqual(told?.message, condition?.message)
        }),
      (connection) => ({
        ...connection,
        send: cancellable((request, reply) =>
          request.verb === "create" && request.kind === "ReplicaSet"
            ? connection.send({ ...request, object: { kind: "ReplicaSet" } }, reply)
            : connection.send(request, reply)
        )
      })
    ))

  it("nothing of a new set that a terminating namespace refuses, which is not tried again", () => {
    let attempts = 0
    const causes = [
      { reason: "NamespaceTerminating", message: "namespace default is being terminated", field: "metadata.namespace" }
    ]
    const status = {
      apiVersion: "v1",
      kind: "Status",
      metadata: {},
      code: 403,
      reason: "Forbidden",
      details: { causes }
    } as const
    withControllers(
      (setup) =>
        Effect.gen(function* () {
          yield* setup.cluster.create("Deployment", deploymentOf(1, { progressDeadlineSeconds: 600 }))
          yield* Effect.sleep("1 minute")
          assert.strictEqual(attempts, 1)
          assert.isUndefined(yield* progressing(setup))
        }),
      (connection) => ({
        ...connection,
        send: cancellable((request, reply) => {
          if (request.verb !== "create" || request.kind !== "ReplicaSet") return void connection.send(request, reply)
          attempts++
          reply(Result.fail(new ApiError({ status })))
        })
      })
    )
  })

  it("of pods that cannot be made, also of an old set where the new one has no trouble", () => {
    const failing: ReplicaSet = {
      ...replicaSetOf(1),
      status: {
        replicas: 0,
        conditions: [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "quota" }]
      }
    }
    const fine = { ...replicaSetOf(1), status: { replicas: 1 } }
    const deployment: Deployment = deploymentOf(2)
    const said = deploymentStatus(deployment, fine, [failing], START)?.conditions
    assert.deepInclude(
      said?.find(({ type }) => type === "ReplicaFailure"),
      { reason: "FailedCreate", message: "quota" }
    )
  })
})
