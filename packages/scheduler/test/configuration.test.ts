import { assert, describe, it } from "@effect/vitest"
import type { InvalidInput } from "@rollcall/input"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import {
  type DecodeOptions,
  decodeSchedulerConfiguration,
  defaultProfile,
  type Profile,
  plain,
  SchedulingCache,
  type ScorePlugin
} from "../src/index.ts"
import { scoreNodes } from "../src/rules.ts"
import { nodeNamed, podNamed, withScheduler } from "./withScheduler.ts"

const meta = { apiVersion: "kubescheduler.config.k8s.io/v1", kind: "KubeSchedulerConfiguration" }

/** Without the file. */
const linesOf = ({ problems }: InvalidInput): ReadonlyArray<string> =>
  problems.map(({ message, path }) => (path === "" ? message : `${path}: ${message}`))

const decodeOrThrow = (fields: object, options?: DecodeOptions) => {
  const result = decodeSchedulerConfiguration({ ...meta, ...fields }, options)
  if (Result.isFailure(result)) throw result.failure
  return result.success
}

const problemsOf = (value: unknown): ReadonlyArray<string> => {
  const result = decodeSchedulerConfiguration(value)
  return Result.isFailure(result) ? linesOf(result.failure) : []
}

const profileWith = (fields: object, options?: DecodeOptions) => {
  const { config } = decodeOrThrow({ profiles: [fields] }, options)
  if (config.profile === undefined) throw new Error("no profile")
  return config.profile
}

const namesOf = (plugins: ReadonlyArray<{ readonly name: string }>) => plugins.map(({ name }) => name)
const weights = ({ scores }: Pick<Profile, "scores">) =>
  Object.fromEntries(scores.map(({ name, weight }) => [name, weight]))

describe("KubeSchedulerConfiguration", () => {
  it("has the default profile if it is empty", () => {
    const { config, warnings } = decodeOrThrow({})
    assert.deepStrictEqual(config, {
      percentageOfNodesToScore: 0,
      podInitialBackoffSeconds: 1,
      podMaxBackoffSeconds: 10,
      otherProfiles: []
    })
    assert.deepStrictEqual(warnings, [])
    const profile = profileWith({})
    assert.deepStrictEqual(namesOf(profile.filters), namesOf(defaultProfile.filters))
    assert.deepStrictEqual(weights(profile), weights(defaultProfile))
  })

  it("sets its fields, for each profile", () => {
    const { config, warnings } = decodeOrThrow({
      percentageOfNodesToScore: 30,
      podInitialBackoffSeconds: 2,
      podMaxBackoffSeconds: 20,
      parallelism: 8,
      profiles: [{ percentageOfNodesToScore: 70 }, { schedulerName: "packer" }]
    })
    assert.deepInclude(config, {
      schedulerName: "default-scheduler",
      percentageOfNodesToScore: 70,
      podInitialBackoffSeconds: 2,
      podMaxBackoffSeconds: 20
    })
    assert.deepStrictEqual(
      config.otherProfiles?.map(({ percentageOfNodesToScore, schedulerName }) => [
        schedulerName,
        percentageOfNodesToScore
      ]),
      [["packer", 30]]
    )
    assert.deepStrictEqual(warnings, ["parallelism is not supported and has no effect"])
  })

  it("disables, weighs and orders plugins as kube-scheduler does", () => {
    const profile = profileWith({
      plugins: {
        multiPoint: { enabled: [{ name: "ImageLocality", weight: 7 }], disabled: [{ name: "NodePorts" }] },
        filter: { enabled: [{ name: "VolumeZone" }], disabled: [{ name: "TaintToleration" }] },
        score: { enabled: [{ name: "NodeAffinity", weight: 9 }], disabled: [{ name: "InterPodAffinity" }] }
      }
    })
    assert.deepStrictEqual(namesOf(profile.filters), [
      "VolumeZone",
      ...namesOf(defaultProfile.filters).filter(
        (name) => !["VolumeZone", "NodePorts", "TaintToleration"].includes(name)
      )
    ])
    assert.deepStrictEqual(namesOf(profile.scores)[0], "NodeAffinity")
    assert.deepInclude(weights(profile), { NodeAffinity: 9, ImageLocality: 7, TaintToleration: 3 })
    assert.notProperty(weights(profile), "InterPodAffinity")
    const alone = profileWith({
      plugins: { score: { enabled: [{ name: "ImageLocality" }], disabled: [{ name: "*" }] } }
    })
    assert.deepStrictEqual(weights(alone), { ImageLocality: 1 })
  })

  it("configures or disables preemption", () => {
    assert.deepStrictEqual(
      profileWith({ pluginConfig: [{ name: "DefaultPreemption", args: { minCandidateNodesAbsolute: 5 } }] }).preemption,
      { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 5 }
    )
    assert.strictEqual(profileWith({ plugins: { postFilter: { disabled: [{ name: "*" }] } } }).preemption, "none")
  })

  it("limits how long devices are searched for on a node", () => {
    const withTimeout = (filterTimeout: string) => ({
      profiles: [{ pluginConfig: [{ name: "DynamicResources", args: { filterTimeout } }] }]
    })
    for (const timeout of ["0s", "500ms"]) assert.deepStrictEqual(decodeOrThrow(withTimeout(timeout)).warnings, [])
    const path = "profiles[0].pluginConfig[0].args.filterTimeout"
    assert.deepStrictEqual(problemsOf({ ...meta, ...withTimeout("-1s") }), [
      `${path}: found "-1s", expected a duration of at least 0s`
    ])
  })

  it("configures Reserve, Permit and PreBind plugins", () => {
    const own = ["VolumeBinding", "DynamicResources"]
    const atPoints = (fields: object, options?: DecodeOptions) => {
      const { permit = [], postBind = [], preBind = [], reserve = [] } = profileWith(fields, options)
      return [reserve, permit, preBind, postBind].map(namesOf)
    }
    assert.deepStrictEqual(atPoints({}), [own, [], own, []])
    const gate = { name: "Gate", permit: () => undefined }
    const ear = { name: "Ear", reserve: () => undefined, unreserve: () => undefined, postBind: () => undefined }
    const options = { plugins: { Gate: plain({ permit: gate }), Ear: plain({ reserve: ear, postBind: ear }) } }
    const everywhere = { multiPoint: { enabled: [{ name: "Ear" }, { name: "Gate" }] } }
    assert.deepStrictEqual(atPoints({ plugins: everywhere }, options), [[...own, "Ear"], ["Gate"], own, ["Ear"]])
    assert.deepStrictEqual(atPoints({}, options), atPoints({ plugins: everywhere }, options))
    const some = {
      reserve: { enabled: [{ name: "Ear" }], disabled: [{ name: "*" }] },
      permit: { enabled: [{ name: "Gate" }] },
      postBind: { disabled: [{ name: "Ear" }] },
      preBind: { disabled: own.map((name) => ({ name })) },
      bind: { enabled: [{ name: "DefaultBinder" }], disabled: [{ name: "*" }] }
    }
    assert.deepStrictEqual(atPoints({ plugins: some }, options), [["Ear"], ["Gate"], [], []])
    const wrong = {
      permit: { enabled: [{ name: "VolumeBinding" }] },
      preBind: { enabled: [{ name: "VolumeBindng" }] },
      bind: { disabled: [{ name: "*" }] }
    }
    assert.deepStrictEqual(problemsOf({ ...meta, profiles: [{ plugins: wrong }] }), [
      'profiles[0].plugins.bind.disabled: found ["*"], expected DefaultBinder to stay: a profile needs a plugin that binds',
      'profiles[0].plugins.permit.enabled[0].name: found "VolumeBinding", expected a plugin that permits',
      'profiles[0].plugins.preBind.enabled[0].name: found "VolumeBindng", expected a plugin that prepares bindings; did you mean "VolumeBinding"?'
    ])
  })

  it("sets how long volumes may take to be bound", () => {
    const args = (value: object) => ({ profiles: [{ pluginConfig: [{ name: "VolumeBinding", args: value }] }] })
    assert.deepStrictEqual(decodeOrThrow(args({ bindTimeoutSeconds: 30, shape: [] })).warnings, [
      "profiles[0].pluginConfig[0].args.shape is not supported and has no effect"
    ])
    assert.deepStrictEqual(problemsOf({ ...meta, ...args({ bindTimeoutSeconds: -1 }) }), [
      "profiles[0].pluginConfig[0].args.bindTimeoutSeconds: found -1, expected a whole number of at least 0"
    ])
  })

  it("accepts plugins of the user", () => {
    const last: ScorePlugin = { name: "Last", weight: 1, score: () => false }
    const options = { plugins: { Last: plain({ score: last }) } }
    assert.strictEqual(namesOf(profileWith({}, options).scores).at(-1), "Last")
    const off = { plugins: { multiPoint: { disabled: [{ name: "Last" }] } } }
    assert.notInclude(namesOf(profileWith(off, options).scores), "Last")
    const profile = profileWith({ plugins: { score: { enabled: [{ name: "Last", weight: 4 }] } } }, options)
    assert.deepStrictEqual(weights(profile), { ...weights(defaultProfile), Last: 4 })
  })

  it("accepts unknown names where the user's plugins are not loaded yet", () => {
    const plugins = {
      multiPoint: { enabled: [{ name: "Later" }] },
      score: { disabled: [{ name: "Later" }, { name: "NodeName" }] }
    }
    const value = { ...meta, profiles: [{ plugins, pluginConfig: [{ name: "Later", args: {} }, { name: "" }] }] }
    const result = decodeSchedulerConfiguration(value, { plugins: "unknown" })
    assert.deepStrictEqual(Result.isFailure(result) ? linesOf(result.failure) : [], [
      'profiles[0].pluginConfig[1].name: found "", expected the name of a plugin',
      'profiles[0].plugins.score.disabled[1].name: found "NodeName", expected a plugin that scores'
    ])
  })

  it("reports each problem with its path, the found and the expected value", () => {
    assert.deepStrictEqual(problemsOf({ ...meta, kind: "KubeletConfiguration" }), [
      'kind: found "KubeletConfiguration", expected KubeSchedulerConfiguration'
    ])
    assert.match(problemsOf({ ...meta, podMaxBackofSeconds: 3 })[0] ?? "", /; did you mean "podMaxBackoffSeconds"\?$/)
    const wrong = {
      ...meta,
      podInitialBackoffSeconds: 5,
      podMaxBackoffSeconds: 2,
      profiles: [
        {
          percentageOfNodesToScore: 101,
          plugins: { score: { enabled: [{ name: "ImageLocalty" }, { name: "NodeName" }] } },
          pluginConfig: [
            { name: "NodeResourcesFit", args: { scoringStrategy: { type: "MostAlocated" } } },
            { name: "InterPodAffinity", args: { hardPodAffinityWeight: "much" } },
            { name: "PodTopologySpread", args: { defaultConstraints: [{ topologyKey: "zone", maxSkew: 0 }] } }
          ]
        },
        {}
      ]
    }
    assert.deepStrictEqual(problemsOf(wrong), [
      "podMaxBackoffSeconds: found 2, expected at least podInitialBackoffSeconds, 5; or 0 for no back-off",
      'profiles[0].pluginConfig[0].args.scoringStrategy.type: found "MostAlocated", expected one of LeastAllocated, MostAllocated, RequestedToCapacityRatio; did you mean "MostAllocated"?',
      "profiles[0].pluginConfig[2].args.defaultConstraints[0].maxSkew: found 0, expected a whole number of at least 1",
      "profiles[0].pluginConfig[2].args.defaultConstraints[0].whenUnsatisfiable: found nothing, expected one of DoNotSchedule, ScheduleAnyway",
      'profiles[0].pluginConfig[2].args.defaultConstraints: found [{"topologyKey":"zone","maxSkew":0}], expected none, while defaultingType is "System"',
      'profiles[0].pluginConfig[1].args.hardPodAffinityWeight: found "much", expected a whole number from 0 to 100',
      'profiles[0].plugins.score.enabled[0].name: found "ImageLocalty", expected a plugin that scores; did you mean "ImageLocality"?',
      'profiles[0].plugins.score.enabled[1].name: found "NodeName", expected a plugin that scores',
      "profiles[0].percentageOfNodesToScore: found 101, expected a whole number from 0 to 100",
      'profiles[1].schedulerName: found "default-scheduler", expected a name of its own for each profile'
    ])
  })

  it("schedules pods by the profile that they name", () => {
    const { config } = decodeOrThrow({
      profiles: [
        {},
        {
          schedulerName: "packer",
          plugins: { score: { enabled: [{ name: "NodeResourcesFit", weight: 100 }] } },
          pluginConfig: [{ name: "NodeResourcesFit", args: { scoringStrategy: { type: "MostAllocated" } } }]
        }
      ]
    })
    withScheduler(
      ({ addNode, cluster, events, pod }) =>
        Effect.gen(function* () {
          yield* addNode(nodeNamed("empty"))
          yield* addNode(nodeNamed("busy"))
          yield* cluster.create("Pod", podNamed("first", "2", { nodeSelector: { "kubernetes.io/hostname": "busy" } }))
          yield* Effect.sleep("1 second")
          yield* cluster.create("Pod", podNamed("spread"))
          yield* cluster.create("Pod", podNamed("packed", "1", { schedulerName: "packer" }))
          yield* cluster.create("Pod", podNamed("foreign", "1", { schedulerName: "nobody" }))
          yield* Effect.sleep("1 second")
          assert.strictEqual((yield* pod("spread")).spec.nodeName, "empty")
          assert.strictEqual((yield* pod("packed")).spec.nodeName, "busy")
          assert.isUndefined((yield* pod("foreign")).spec.nodeName)
          const told = (yield* events).find(({ involvedObject }) => involvedObject.name === "packed")
          assert.strictEqual(told?.reportingComponent, "packer")
          assert.strictEqual(told?.reportingInstance, "packer-m1")
        }),
      { ...config, hostname: "m1" }
    )
  })
})

describe("arguments", () => {
  const scored = (name: string, args: object, pod = podNamed("p", "1")) => {
    const cache = new SchedulingCache()
    for (const each of ["half", "empty"]) cache.setNode(nodeNamed(each))
    cache.place(cache.describe(podNamed("first", "2")), "half")
    const { scores } = profileWith({ pluginConfig: [{ name, args }] })
    const plugin = scores.filter((score) => score.name === name)
    return scoreNodes(cache.describe(pod), cache.nodes(), cache, plugin)
  }
  const strategy = (type: string, more: object = {}) => ({
    scoringStrategy: { type, resources: [{ name: "cpu", weight: 1 }], ...more }
  })

  it("score by free or used resources, or a shape", () => {
    assert.deepStrictEqual(scored("NodeResourcesFit", strategy("LeastAllocated")), [25, 75])
    assert.deepStrictEqual(scored("NodeResourcesFit", strategy("MostAllocated")), [75, 25])
    const shape = [
      { utilization: 0, score: 0 },
      { utilization: 50, score: 10 },
      { utilization: 100, score: 0 }
    ]
    const ratio = strategy("RequestedToCapacityRatio", { requestedToCapacityRatio: { shape } })
    assert.deepStrictEqual(scored("NodeResourcesFit", ratio), [50, 50])
    assert.deepStrictEqual(scored("NodeResourcesFit", ratio, podNamed("p", "2")), [0, 100])
  })

  it("handle weights and resources that the pod does not request as Kubernetes does", () => {
    const weighted = {
      scoringStrategy: {
        type: "LeastAllocated",
        resources: [
          { name: "cpu", weight: 3 },
          { name: "memory", weight: 1 },
          { name: "example.com/gpu", weight: 100 }
        ]
      }
    }
    // 8 GiB of memory, 200 MiB for each of the pods: 95 and 97 are free.
    assert.deepStrictEqual(scored("NodeResourcesFit", weighted), [42, 80])
    const balanced = { resources: [{ name: "cpu", weight: 1 }] }
    assert.deepStrictEqual(scored("NodeResourcesBalancedAllocation", balanced), [75, 75])
  })

  it("spread by configured constraints, also hard ones", () => {
    const cache = new SchedulingCache()
    for (const [name, zone] of Object.entries({ a: "a", b: "b" })) cache.setNode(nodeNamed(name, { zone }))
    cache.workloads.setService("default", "web", { app: "web" })
    const labels = { app: "web" }
    cache.place(cache.describe(podNamed("first", "1", {}, labels)), "a")
    const args = {
      defaultingType: "List",
      defaultConstraints: [
        { topologyKey: "topology.kubernetes.io/zone", maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" }
      ]
    }
    const { filters } = profileWith({ pluginConfig: [{ name: "PodTopologySpread", args }] })
    const spread = filters.find(({ name }) => name === "PodTopologySpread")
    const verdicts = (pod: ReturnType<typeof podNamed>) => {
      const prepared = spread?.prepare(cache.describe(pod), cache)
      return prepared?._tag === "Check" ? cache.nodes().map((node) => prepared.check(node)?.code) : prepared?._tag
    }
    assert.deepStrictEqual(verdicts(podNamed("second", "1", {}, labels)), ["Unschedulable", undefined])
    assert.strictEqual(verdicts(podNamed("other")), "Skip")
  })

  it("add an affinity to every pod, and exclude resources from the fit test", () => {
    const cache = new SchedulingCache()
    cache.setNode(nodeNamed("a", { zone: "a" }))
    const added = (zone: string) => ({
      addedAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: [zone] }] }
          ]
        }
      }
    })
    const reasonsOf = (name: string, args: object, pod = podNamed("p")) => {
      const { filters } = profileWith({ pluginConfig: [{ name, args }] })
      const prepared = filters.find((filter) => filter.name === name)?.prepare(cache.describe(pod), cache)
      return prepared?._tag === "Check" ? cache.nodes().map((node) => prepared.check(node)?.reasons) : prepared
    }
    assert.deepStrictEqual(reasonsOf("NodeAffinity", added("a")), [undefined])
    assert.deepStrictEqual(reasonsOf("NodeAffinity", added("b")), [
      ["node(s) didn't match scheduler-enforced node affinity"]
    ])
    const requests = { "example.com/gpu": "1", "example.org/nic": "1" }
    const greedy = podNamed("p", "1", { containers: [{ name: "c", resources: { requests } }] })
    assert.deepStrictEqual(reasonsOf("NodeResourcesFit", {}, greedy), [
      ["Insufficient example.com/gpu", "Insufficient example.org/nic"]
    ])
    assert.deepStrictEqual(
      reasonsOf(
        "NodeResourcesFit",
        { ignoredResources: ["example.com/gpu"], ignoredResourceGroups: ["example.org"] },
        greedy
      ),
      [undefined]
    )
  })
})
