import { assert, describe, it } from "@effect/vitest"
import { type Deployment, isPodReady, type ReplicaSet } from "@rollcall/api"
import { cancellable } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { withDeployment } from "../src/deployment/newReplicaSet.ts"
import { deploymentStatus } from "../src/rules.ts"
import { deploymentOf, inWorld, replicaSetOf, START, template, type World } from "./world.ts"

const web = { namespace: "default", name: "web" }
const revision = "deployment.kubernetes.io/revision"
const history = "deployment.kubernetes.io/revision-history"

const ready = (world: World) =>
  Effect.gen(function* () {
    yield* Effect.sleep("1 second")
    for (const pod of yield* world.activePods) if (!isPodReady(pod)) yield* world.makeReady(pod)
    yield* Effect.sleep("1 second")
  })

const setsOf = ({ cluster }: World) => Effect.map(cluster.list("ReplicaSet"), ({ items }) => items)
const progressing = ({ cluster }: World) =>
  Effect.map(cluster.get("Deployment", web), ({ status }) =>
    status?.conditions?.find(({ type }) => type === "Progressing")
  )

describe("sets of a Deployment", () => {
  it("are adopted by the next deployment of that name when they were left as orphans", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* world.cluster.create("Deployment", deploymentOf(2))
        yield* ready(world)
        const [before] = yield* setsOf(world)
        yield* world.cluster.delete("Deployment", web)
        const key = { namespace: "default", name: before?.metadata.name ?? "" }
        yield* world.cluster.patch("ReplicaSet", key, "merge", { metadata: { ownerReferences: null } })
        yield* world.cluster.create("Deployment", deploymentOf(2, { progressDeadlineSeconds: 600 }))
        yield* Effect.sleep("1 second")
        const [after, ...others] = yield* setsOf(world)
        assert.isEmpty(others)
        assert.strictEqual(after?.metadata.uid, before?.metadata.uid)
        assert.strictEqual(after?.metadata.ownerReferences?.[0]?.kind, "Deployment")
        assert.deepInclude(yield* progressing(world), { reason: "NewReplicaSetAvailable", status: "True" })
      })
    ))

  it("are released when they are no longer selected", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* world.cluster.create("Deployment", deploymentOf(1))
        yield* ready(world)
        const [set] = yield* setsOf(world)
        const key = { namespace: "default", name: set?.metadata.name ?? "" }
        yield* world.cluster.patch("ReplicaSet", key, "merge", { metadata: { labels: { app: "other" } } })
        yield* Effect.sleep("1 second")
        assert.isEmpty((yield* world.cluster.get("ReplicaSet", key)).metadata.ownerReferences ?? [])
      })
    ))

  it("follow minReadySeconds and annotations of their deployment", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* world.cluster.create("Deployment", deploymentOf(1))
        yield* ready(world)
        yield* world.cluster.patch("Deployment", web, "merge", {
          metadata: { annotations: { team: "a", "kubectl.kubernetes.io/last-applied-configuration": "{}" } },
          spec: { minReadySeconds: 30 }
        })
        yield* Effect.sleep("1 second")
        const [set] = yield* setsOf(world)
        assert.strictEqual(set?.spec.minReadySeconds, 30)
        assert.strictEqual(set?.metadata.annotations?.team, "a")
        assert.notProperty(set?.metadata.annotations, "kubectl.kubernetes.io/last-applied-configuration")
      })
    ))

  it("remember the revisions that they were before", () => {
    const set = (known: string, past?: string): ReplicaSet => ({
      ...replicaSetOf(1),
      metadata: { ...web, annotations: { [revision]: known, ...(past === undefined ? {} : { [history]: past }) } }
    })
    const raised = withDeployment(deploymentOf(1), set("1"), [set("4")])
    assert.deepStrictEqual(raised.metadata.annotations, { [revision]: "5", [history]: "1" })
    const again = withDeployment(deploymentOf(1), set("5", "1"), [set("6")])
    assert.deepStrictEqual(again.metadata.annotations, { [revision]: "7", [history]: "1,5" })
    assert.strictEqual(withDeployment(deploymentOf(1), again, [set("6")]), again, "nothing to do")
  })

  it("are not forgotten while a rollout is under way", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { cluster } = world
        yield* cluster.create("Deployment", deploymentOf(2, { revisionHistoryLimit: 0 }))
        yield* ready(world)
        for (const image of ["img:2", "img:3"]) {
          yield* cluster.patch("Deployment", web, "merge", { spec: { template: template(image) } })
          yield* Effect.sleep("1 second")
        }
        assert.strictEqual((yield* setsOf(world)).length, 3, "the set between is empty, but the rollout is not over")
        for (let round = 0; round < 5; round++) yield* ready(world)
        assert.strictEqual((yield* setsOf(world)).length, 1)
      })
    ))
})

describe("what a Deployment says", () => {
  it("when its new set cannot be made", () =>
    inWorld(
      (world) =>
        Effect.gen(function* () {
          yield* world.cluster.create("Deployment", deploymentOf(1, { progressDeadlineSeconds: 600 }))
          yield* Effect.sleep("1 second")
          const condition = yield* progressing(world)
          assert.deepInclude(condition, { status: "False", reason: "ReplicaSetCreateError" })
          assert.match(condition?.message ?? "", /^Failed to create new replica set "web-\w+": /)
          const told = (yield* world.events).find(({ reason }) => reason === "ReplicaSetCreateError")
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
